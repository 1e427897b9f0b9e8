import { Badge } from '../../../components/data-display/badge.tsx';
import { Loaded } from '../../../components/states.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import type { Family } from '../../../words/family.ts';
import { formatPeriod } from '../moves/move-words.ts';
import { Section } from '../section.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { type TicketDate, useDates } from '../tickets.ts';
import { shownDates } from './shown-dates.ts';

const families: Record<TicketDate['state'], Family> = {
  planned: 'progress',
  done: 'success',
  not_done: 'danger',
  canceled: 'neutral',
};

/** Visits and work. They are planned and confirmed by the moves above. */
export function DatesSection({ ticketId }: { ticketId: string }) {
  const texts = useTexts();
  const where = useLocale();
  return (
    <Section id="dates" title={texts.dates}>
      <Loaded query={useDates(ticketId)} rows={1}>
        {(dates) =>
          dates.length === 0 ? (
            <p className={styles['small']}>{texts.noDates}</p>
          ) : (
            <ul aria-label={texts.dates} className={styles['items']}>
              {shownDates(dates).map(({ _id, category, state, start, end }) => (
                <li key={_id} className={styles['item']}>
                  <strong>{texts.categories[category]}</strong>
                  <span>{formatPeriod(new Date(start), new Date(end), where)}</span>
                  <Badge family={families[state]}>{texts.dateStates[state]}</Badge>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
