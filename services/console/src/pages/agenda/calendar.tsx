import { useState } from 'react';
import { DropZone } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Badge } from '../../components/data-display/badge.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { useSession } from '../../session/session.ts';
import styles from './agenda.module.css';
import { type AgendaEntry, isOn, type View } from './agenda.ts';
import { type Board, Card } from './planning-board.tsx';
import { useTexts } from './texts.ts';

/** What a day shows before it is asked for the rest: a row is as high as its fullest day. */
const mostShown: Record<View, number> = { week: 20, month: 4 };

type Props = { view: View; days: string[]; today: string; entries: AgendaEntry[]; board: Board };

/** Days beside each other; on a phone, those that have something below each other. */
export function Calendar({ view, days, today, entries, board }: Props) {
  const { timeZone } = useLocale();
  return (
    <div className={styles['calendar']}>
      {days.map((day) => (
        <Day
          key={day}
          day={day}
          isToday={day === today}
          entries={entries.filter((entry) => isOn(day, entry, timeZone))}
          most={mostShown[view]}
          board={board}
        />
      ))}
    </div>
  );
}

type DayProps = { day: string; isToday: boolean; entries: AgendaEntry[]; most: number; board: Board };

function Day({ day, isToday, entries, most, board }: DayProps) {
  const texts = useTexts();
  const { locale } = useLocale();
  const [isWhole, setWhole] = useState(false);
  const nameOf = (weekday: 'long' | 'short', month: 'long' | 'short') =>
    new Intl.DateTimeFormat(locale, { weekday, day: 'numeric', month, timeZone: 'UTC' }).format(new Date(day));
  return (
    <DropZone
      className={classes(styles['day'], entries.length === 0 && styles['empty'])}
      aria-label={nameOf('long', 'long')}
      isDisabled={board.dropOn === null}
      getDropOperation={() => 'move'}
      onDrop={() => board.dropOn?.(day)}
    >
      <h2 className={styles['name']} aria-current={isToday ? 'date' : undefined}>
        <time dateTime={day}>{nameOf('short', 'short')}</time>
      </h2>
      <ul className={styles['entries']} aria-label={nameOf('long', 'long')}>
        {(isWhole ? entries : entries.slice(0, most)).map((entry) => (
          <Entry key={entry._id} entry={entry} board={board} />
        ))}
      </ul>
      {entries.length > most && (
        <Button variant="quiet" aria-expanded={isWhole} onPress={() => setWhole(!isWhole)}>
          {isWhole ? texts.fewer : texts.more(entries.length - most)}
        </Button>
      )}
    </DropZone>
  );
}

function Entry({ entry, board }: { entry: AgendaEntry; board: Board }) {
  const texts = useTexts();
  const { company } = useSession();
  const { category, state, places } = entry;
  const isDone = state === 'done';
  const other = company.kind === 'client' ? entry.contractor : entry.client;
  return (
    <Card board={board} dated={{ entry }} isDone={isDone} named={[...places, other]}>
      <Badge family={isDone ? 'success' : 'progress'}>{texts.states[category][state]}</Badge>
      <Times entry={entry} />
    </Card>
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
