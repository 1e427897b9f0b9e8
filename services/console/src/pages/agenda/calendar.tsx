import { CalendarClock } from 'lucide-react';
import { useState } from 'react';
import { DropZone, Link, useDrag } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Badge } from '../../components/data-display/badge.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { announce } from '../../session/actions.ts';
import { useSession } from '../../session/session.ts';
import { ticketStatuses } from '../../words/status-words.ts';
import styles from './agenda.module.css';
import { type AgendaEntry, isOn } from './agenda.ts';
import { MoveDate, type Moving } from './move-date.tsx';
import { useTexts } from './texts.ts';

type Props = { days: string[]; today: string; entries: AgendaEntry[] };

/** Days beside each other; on a phone, those that have something below each other. */
export function Calendar({ days, today, entries }: Props) {
  const texts = useTexts();
  const { language, timeZone } = useLocale();
  const [dragged, drag] = useState<AgendaEntry | null>(null);
  const [moving, setMoving] = useState<Moving | null>(null);
  const sayWhyNot = ({ ticket: { number, status } }: AgendaEntry) =>
    announce(texts.notMovable(number, ticketStatuses[status][language]));
  const move = (given: Moving) => (given.entry.movable ? setMoving(given) : sayWhyNot(given.entry));
  const dropped = (entry: AgendaEntry) => {
    drag(null);
    if (!entry.movable) sayWhyNot(entry);
  };
  return (
    <div className={styles['calendar']}>
      {days.map((day) => (
        <Day
          key={day}
          day={day}
          isToday={day === today}
          entries={entries.filter((entry) => isOn(day, entry, timeZone))}
          // What no move allows has nowhere to be dropped.
          onDrop={dragged?.movable ? () => move({ entry: dragged, day }) : null}
          item={{ onMove: (entry) => move({ entry }), onDrag: drag, onDropped: dropped }}
        />
      ))}
      {moving && <MoveDate moving={moving} onClose={() => setMoving(null)} />}
    </div>
  );
}

type Item = Record<'onMove' | 'onDrag' | 'onDropped', (entry: AgendaEntry) => void>;
type DayProps = {
  day: string;
  isToday: boolean;
  entries: AgendaEntry[];
  onDrop: (() => void) | null;
  item: Item;
};

function Day({ day, isToday, entries, onDrop, item }: DayProps) {
  const { locale } = useLocale();
  const nameOf = (weekday: 'long' | 'short', month: 'long' | 'short') =>
    new Intl.DateTimeFormat(locale, { weekday, day: 'numeric', month, timeZone: 'UTC' }).format(new Date(day));
  return (
    <DropZone
      className={classes(styles['day'], entries.length === 0 && styles['empty'])}
      aria-label={nameOf('long', 'long')}
      isDisabled={onDrop === null}
      getDropOperation={() => 'move'}
      onDrop={() => onDrop?.()}
    >
      <h2 className={styles['name']} aria-current={isToday ? 'date' : undefined}>
        <time dateTime={day}>{nameOf('short', 'short')}</time>
      </h2>
      <ul className={styles['entries']} aria-label={nameOf('long', 'long')}>
        {entries.map((entry) => (
          <Entry key={entry._id} entry={entry} {...item} />
        ))}
      </ul>
    </DropZone>
  );
}

function Entry({ entry, onMove, onDrag, onDropped }: { entry: AgendaEntry } & Item) {
  const texts = useTexts();
  const { company } = useSession();
  const { category, state, ticket, places } = entry;
  const other = company.kind === 'client' ? entry.contractor : entry.client;
  const { dragProps } = useDrag({
    getItems: () => [{ 'text/plain': ticket.number }],
    // The button beside it is for the keyboard.
    hasDragButton: true,
    isDisabled: state !== 'planned',
    onDragStart: () => onDrag(entry),
    onDragEnd: () => onDropped(entry),
  });
  return (
    <li {...dragProps} className={styles['entry']}>
      <Badge family={state === 'done' ? 'success' : 'progress'}>{texts.states[category][state]}</Badge>
      <Times entry={entry} />
      <Link href={`/tickets/${ticket._id}`}>
        {ticket.number} {ticket.title}
      </Link>
      <span>{[...places.map(({ name }) => name), other?.name].filter(Boolean).join(' · ')}</span>
      {state === 'planned' && (
        <Button variant="quiet" isIcon aria-label={texts.moveNamed(ticket.number)} onPress={() => onMove(entry)}>
          <CalendarClock size={16} aria-hidden="true" />
        </Button>
      )}
    </li>
  );
}

/** As clocks at the place show it; with the name of the zone if that is another one than the user's. */
function Times({ entry: { start, end, time_zone } }: { entry: AgendaEntry }) {
  const { locale, timeZone } = useLocale();
  const zone = time_zone ?? timeZone;
  const format = new Intl.DateTimeFormat(locale, {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    ...(zone !== timeZone && { timeZoneName: 'short' }),
  });
  return <span>{format.formatRange(new Date(start), new Date(end))}</span>;
}
