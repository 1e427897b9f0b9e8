import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { FilterBar } from '../../components/filters/filter-bar.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { isDay } from '../../routing/days.ts';
import { localInput } from '../../routing/local-moment.ts';
import { useUrlState } from '../../routing/url-state.ts';
import { useSession } from '../../session/session.ts';
import { useWhoseFields } from '../tickets/list/ticket-filters.tsx';
import { filtersOf } from '../tickets/list-query.ts';
import { daysOf, periodFrom, useAgenda } from './agenda.ts';
import { Calendar } from './calendar.tsx';
import { useBoard } from './planning-board.tsx';
import { useTexts } from './texts.ts';
import { TicketsWithoutDate } from './tickets-without-date.tsx';

/** Visits and work of the tickets that the user sees, by week or month. */
export function AgendaPage() {
  const texts = useTexts();
  const { locale, timeZone } = useLocale();
  const { client, contractor, place, manager } = filtersOf(useSession().company.kind);
  const [values, set] = useUrlState({ view: ['week', 'month'], day: isDay, client, contractor, place, manager });
  const views = (['week', 'month'] as const).map((id) => ({ id, text: texts.views[id] }));
  const ofView = { name: 'view', label: texts.view, kind: 'choice', options: views, unset: 'week' } as const;
  const fields = [ofView, ...useWhoseFields()];
  const today = localInput(new Date().toISOString(), timeZone).slice(0, 10);
  const { view = 'week', day = today, ...filter } = values;
  const days = daysOf(view, day);
  const board = useBoard();
  const query = useAgenda(days, timeZone, filter);
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const go = (steps: number) => set({ day: periodFrom(view, day, steps) });
  const actions = (
    <>
      <Button isIcon aria-label={texts.earlier} onPress={() => go(-1)}>
        <ChevronLeft size={16} aria-hidden="true" />
      </Button>
      <Button onPress={() => set({ day: null })}>{texts.today}</Button>
      <Button isIcon aria-label={texts.later} onPress={() => go(1)}>
        <ChevronRight size={16} aria-hidden="true" />
      </Button>
    </>
  );
  return (
    <Page title={texts.agenda} actions={actions}>
      <FilterBar<'view' | keyof typeof filter>
        fields={fields}
        values={{ ...filter, view }}
        onChange={(change) => set(change as object)}
      />
      <p aria-live="polite">{month.format(new Date(day))}</p>
      {board.sheet}
      <TicketsWithoutDate filter={filter} board={board} day={day > today ? day : undefined} />
      <Loaded query={query}>
        {(entries) => (
          <>
            {entries.length === 0 && <EmptyState>{texts.nothing}</EmptyState>}
            <Calendar view={view} days={days} today={today} entries={entries} board={board} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
