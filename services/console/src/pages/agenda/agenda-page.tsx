import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { FilterBar } from '../../components/filters/filter-bar.tsx';
import type { FilterField } from '../../components/filters/filter-control.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { isDay } from '../../routing/days.ts';
import { localInput } from '../../routing/local-moment.ts';
import { isId, useUrlState } from '../../routing/url-state.ts';
import { useSession } from '../../session/session.ts';
import { fullName, optionsOf, useContractors, useLocations, useUsers } from '../tickets/choices.ts';
import { daysOf, periodFrom, useAgenda } from './agenda.ts';
import { Calendar } from './calendar.tsx';
import { useTexts } from './texts.ts';

const allowed = {
  view: ['week', 'month'],
  day: isDay,
  contractor: isId,
  place: isId,
  manager: isId,
} as const;

/** Visits and work of the tickets that the user sees, by week or month. */
export function AgendaPage() {
  const texts = useTexts();
  const { locale, timeZone } = useLocale();
  const [values, set] = useUrlState(allowed);
  const fields = useFields();
  const today = localInput(new Date().toISOString(), timeZone).slice(0, 10);
  const { view = 'week', day = today, ...filter } = values;
  const days = daysOf(view, day);
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
    <Page title={texts.title} actions={actions}>
      <FilterBar<'view' | keyof typeof filter>
        fields={fields}
        values={{ ...filter, view }}
        onChange={(change) => set(change as object)}
      />
      <p aria-live="polite">{month.format(new Date(day))}</p>
      <Loaded query={query}>
        {(entries) => (
          <>
            {entries.length === 0 && <EmptyState>{texts.nothing}</EmptyState>}
            <Calendar days={days} today={today} entries={entries} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** A contractor has neither a directory nor places. */
function useFields(): FilterField<'view' | 'contractor' | 'place' | 'manager'>[] {
  const texts = useTexts();
  const isClient = useSession().company.kind === 'client';
  const contractors = useContractors({ isOn: isClient });
  const locations = useLocations({ isOn: isClient });
  const people = useUsers({ isOn: isClient }).data?.map((user) => ({ id: user._id, text: fullName(user) }));
  const views = (['week', 'month'] as const).map((id) => ({ id, text: texts.views[id] }));
  const view = { name: 'view', label: texts.view, kind: 'choice', options: views, unset: 'week' } as const;
  if (!isClient) return [view];
  return [
    view,
    { name: 'contractor', label: texts.contractor, kind: 'lookup', options: optionsOf(contractors.data) },
    { name: 'place', label: texts.place, kind: 'lookup', options: optionsOf(locations.data) },
    { name: 'manager', label: texts.manager, kind: 'lookup', options: people },
  ];
}
