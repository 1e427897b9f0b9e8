import { Badge } from '../../../components/data-display/badge.tsx';
import { Loaded } from '../../../components/states.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import type { Family } from '../../../words/family.ts';
import type { Ticket } from '../list-query.ts';
import { formatPeriod } from '../moves/move-words.ts';
import { Section } from '../section.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { type TicketDate, useDates } from '../tickets.ts';
import { type DateState, dateState, shownDates } from './shown-dates.ts';

const families: Record<DateState, Family> = {
  planned: 'progress',
  was_planned: 'neutral',
  done: 'success',
  not_done: 'danger',
  canceled: 'neutral',
};

/** Visits and work. They are planned and confirmed by the moves above. */
export function DatesSection({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  return (
    <Section id="dates" title={texts.dates}>
      <Loaded query={useDates(ticket._id)} rows={1}>
        {(dates) => <Dates ticket={ticket} dates={dates} />}
      </Loaded>
    </Section>
  );
}

export function Dates({ ticket, dates }: { ticket: Ticket; dates: TicketDate[] }) {
  const texts = useTexts();
  const where = useLocale();
  if (dates.length === 0) return <p className={styles['small']}>{texts.noDates}</p>;
  return (
    <ul aria-label={texts.dates} className={styles['items']}>
      {shownDates(dates).map((date) => {
        const state = dateState(date, ticket);
        return (
          <li key={date._id} className={styles['item']}>
            <strong>{texts.categories[date.category]}</strong>
            <span>{formatPeriod(new Date(date.start), new Date(date.end), where)}</span>
            <Badge family={families[state]}>{texts.dateStates[state]}</Badge>
          </li>
        );
      })}
    </ul>
  );
}
