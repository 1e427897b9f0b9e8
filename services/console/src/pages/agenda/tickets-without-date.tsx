import { Link } from 'react-aria-components';
import { useMedia } from '../../components/layout/use-media.ts';
import { formatWithTime } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import { useSession } from '../../session/session.ts';
import { OverdueBadge } from '../tickets/deadlines/deadlines-section.tsx';
import type { Whose } from '../tickets/list-query.ts';
import styles from './agenda.module.css';
import { nextDue, useUndated } from './agenda.ts';
import { type Board, Card } from './planning-board.tsx';
import { useTexts } from './texts.ts';

/** Tickets without a date, on a phone closed at first. `day`: on which a button plans at first; undefined: tomorrow. */
export function TicketsWithoutDate({ filter, board, day }: { filter: Whose; board: Board; day: string | undefined }) {
  const texts = useTexts();
  const where = useLocale();
  const { company } = useSession();
  const isPhone = useMedia('(max-width: 639px)');
  const { data } = useUndated(filter);
  if (!data || (data.found.length === 0 && !data.isMore)) return null;
  const title = texts.undated(`${data.found.length}${data.isMore ? '+' : ''}`);
  return (
    <details className={styles['undated']} open={!isPhone}>
      <summary>{title}</summary>
      <ul className={styles['entries']} aria-label={title}>
        {data.found.map((ticket) => {
          const due = nextDue(ticket);
          const others = company.kind === 'client' ? ticket.contractors : [ticket.client];
          return (
            <Card key={ticket._id} board={board} dated={{ ticket }} day={day} named={[...ticket.locations, ...others]}>
              <OverdueBadge ticket={ticket} />
              {due && <time dateTime={due}>{texts.due(formatWithTime(new Date(due), where))}</time>}
            </Card>
          );
        })}
      </ul>
      {data.isMore && (
        <Link href={`/tickets?${new URLSearchParams({ ...filter, view: 'to-plan' } as Record<string, string>)}`}>
          {texts.allUndated}
        </Link>
      )}
    </details>
  );
}
