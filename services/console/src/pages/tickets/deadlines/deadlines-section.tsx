import { Badge } from '../../../components/data-display/badge.tsx';
import { formatDuration, formatWithTime } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { useSession } from '../../../session/session.ts';
import type { Family } from '../../../words/family.ts';
import type { Ticket } from '../list-query.ts';
import { Section } from '../section.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { MoveDueDate } from './move-due-date.tsx';

type Clocks = NonNullable<Ticket['clocks']>;
type Clock = NonNullable<Clocks['response']>;

const families: Record<Clock['state'], Family> = {
  running: 'progress',
  paused: 'neutral',
  met: 'success',
  missed: 'danger',
};
const names = ['response', 'arrival', 'finish'] as const;

/** By when what is due, and where each clock stands; nothing without a policy. */
export function DeadlinesSection({ ticket: { _id, clocks } }: { ticket: Ticket }) {
  const { deadlines } = useTexts();
  if (!clocks) return null;
  return (
    <Section id="deadlines" title={deadlines.title}>
      <ul className={styles['items']}>
        {names.map((name) => {
          const clock = clocks[name];
          return clock && <Row key={name} ticketId={_id} name={name} clock={clock} />;
        })}
      </ul>
    </Section>
  );
}

function Row({ ticketId, name, clock }: { ticketId: string; name: (typeof names)[number]; clock: Clock }) {
  const { deadlines } = useTexts();
  const { company } = useSession();
  const where = useLocale();
  const { state, pause, due_at, reached_at, left_ms, late_ms, target } = clock;
  const isMovable = company.kind === 'client' && reached_at === null && pause !== 'canceled';
  const spent = (ms: number) => formatDuration(Math.round(ms / 60_000), where.locale);
  const standing = [
    state === 'missed' ? deadlines.late(spent(late_ms)) : deadlines.left(spent(left_ms)),
    ...(pause ? [deadlines.paused(deadlines.pauses[pause])] : []),
    ...(target ? [deadlines.within[target.unit](target.amount)] : []),
  ];
  return (
    <li className={styles['item']}>
      <strong>{deadlines.names[name]}</strong>
      <Badge family={families[state]}>{deadlines.states[state]}</Badge>
      {due_at && <time dateTime={due_at}>{formatWithTime(new Date(due_at), where)}</time>}
      <span className={styles['small']}>{standing.join(' · ')}</span>
      {isMovable && due_at && <MoveDueDate ticketId={ticketId} clock={name} dueAt={due_at} />}
    </li>
  );
}

/** Marks a ticket on which something that has not happened yet is late. */
export function OverdueBadge({ ticket: { clocks } }: { ticket: Ticket }) {
  const { deadlines } = useTexts();
  const isLate = names.some((name) => {
    const clock = clocks?.[name];
    return clock?.state === 'missed' && clock.reached_at === null && clock.pause !== 'canceled';
  });
  return isLate ? <Badge family="danger">{deadlines.overdue}</Badge> : null;
}
