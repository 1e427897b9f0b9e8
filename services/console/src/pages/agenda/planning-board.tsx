import { useMutation } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useDrag } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { announce } from '../../session/actions.ts';
import { ticketStatuses } from '../../words/status-words.ts';
import { readVersioned } from '../tickets/edit/edit-ticket.ts';
import type { Ticket } from '../tickets/list-query.ts';
import { MoveSheet } from '../tickets/moves/move-sheet.tsx';
import styles from './agenda.module.css';
import { type AgendaEntry, plansOf } from './agenda.ts';
import { MoveDate } from './move-date.tsx';
import { useTexts } from './texts.ts';

/** A date that is moved, or a ticket that gets its first one. */
type Dated = { entry: AgendaEntry } | { ticket: Ticket };
type Asked = Dated & { day: string | undefined };

export type Board = ReturnType<typeof useBoard>;

/** What the days and the tickets without a date share: what is dragged, and the sheet that asks for its date. */
export function useBoard() {
  const texts = useTexts();
  const { language } = useLocale();
  const [dragged, drag] = useState<Dated | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const read = useMutation({ mutationFn: async (id: string) => (await readVersioned(id)).ticket });
  const begin = (one: Asked, isPossible: boolean) => {
    // What is typed into a sheet meanwhile is not lost.
    if (isPossible) return setAsked((open) => open ?? one);
    const [{ number, status }, why] =
      'entry' in one ? [one.entry.ticket, texts.notMovable] : [one.ticket, texts.notPlannable];
    announce(why(number, ticketStatuses[status][language]));
  };
  /** Asks for the date, at first on `day`; or says why there cannot be one. */
  const ask = (dated: Dated, day?: string) => {
    read.reset();
    if ('entry' in dated) return begin({ ...dated, day }, dated.entry.movable);
    // The list does not say what may be done with its tickets.
    const plan = (ticket: Ticket) => begin({ ticket, day }, plansOf(ticket).length > 0);
    read.mutate(dated.ticket._id, { onSuccess: plan });
  };
  const isTaken = dragged && !('entry' in dragged && !dragged.entry.movable);
  return {
    drag,
    ask,
    /** Null while nothing is dragged that a day takes: what no move allows has nowhere to be dropped. */
    dropOn: isTaken ? (day: string) => ask(dragged, day) : null,
    reading: read.isPending ? read.variables : null,
    sheet: asked ? <DateSheet {...asked} onClose={() => setAsked(null)} /> : <ErrorNote error={read.error} />,
  };
}

function DateSheet({ onClose, ...asked }: Asked & { onClose: () => void }) {
  if ('entry' in asked) return <MoveDate {...asked} onClose={onClose} />;
  const [move, ...others] = plansOf(asked.ticket);
  const zone = asked.ticket.clocks?.hours?.time_zone;
  return move && <MoveSheet {...asked} move={move} others={others} zone={zone} onClose={onClose} />;
}

type Props = { board: Board; dated: Dated; day?: string | undefined; isDone?: boolean };

/** A ticket that is dragged to a day, or given one by its button, unless it is done. `named`: where, and for or by whom. */
export function Card(props: Props & { named: ({ name: string | null } | null)[]; children: ReactNode }) {
  const { board, dated, day, isDone = false, named, children } = props;
  const texts = useTexts();
  const isPlanned = 'entry' in dated;
  const { _id, number, title } = isPlanned ? dated.entry.ticket : dated.ticket;
  const { dragProps } = useDrag({
    getItems: () => [{ 'text/plain': number }],
    // The button is for the keyboard.
    hasDragButton: true,
    isDisabled: isDone,
    onDragStart: () => board.drag(dated),
    onDragEnd: () => {
      board.drag(null);
      if (isPlanned && !dated.entry.movable) board.ask(dated);
    },
  });
  const action = {
    'aria-label': isPlanned ? texts.moveNamed(number) : texts.planNamed(number),
    isPending: board.reading === _id,
    onPress: () => board.ask(dated, day),
  };
  return (
    <li {...dragProps} className={styles['entry']}>
      {children}
      <Link href={`/tickets/${_id}`}>
        {number} {title}
      </Link>
      <span>{named.flatMap((one) => one?.name ?? []).join(' · ')}</span>
      {!isDone && (
        <Button variant="quiet" isIcon {...action}>
          <CalendarClock size={16} aria-hidden="true" />
        </Button>
      )}
    </li>
  );
}
