import type { ReactNode } from 'react';
import { FilterBar } from '../../../components/filters/filter-bar.tsx';
import type { FilterField } from '../../../components/filters/filter-control.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { isDay, startOfDay } from '../../../routing/days.ts';
import { useUrlState } from '../../../routing/url-state.ts';
import { deliveryStatuses } from '../../../words/status-words.ts';
import { useEventTypes } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import { type Filter, statuses } from './deliveries.ts';

const isEvent = (value: string) => /^(ticket|webhook)\.\w{1,40}$/.test(value);
const allowed = { status: statuses, event: isEvent, from: isDay, to: isDay };

type DeliveryFilter = ReturnType<typeof useDeliveryFilter>;

/** The filters of the log, kept in the address. Days are in the user's time zone. */
export function useDeliveryFilter() {
  const [chosen, set] = useUrlState(allowed);
  const { timeZone } = useLocale();
  const { status, event, from, to } = chosen;
  const values: Filter = {
    ...(status && { status }),
    ...(event && { event: event as NonNullable<Filter['event']> }),
    ...(from && { since: startOfDay(from, timeZone) }),
    ...(to && { until: startOfDay(to, timeZone, 1) }),
  };
  const clear = () => set({ status: null, event: null, from: null, to: null });
  return { chosen, values, set, clear, isSet: Object.keys(values).length > 0 };
}

type Props = { filter: DeliveryFilter; children: ReactNode };

export function DeliveryFilters({ filter: { chosen, set }, children }: Props) {
  const texts = useTexts();
  const { language } = useLocale();
  const { data: types = [] } = useEventTypes();
  const names = [...types.map(({ type }) => type), 'webhook.test' as const];
  const statusOptions = statuses.map((id) => ({ id, text: deliveryStatuses[id][language] }));
  const eventOptions = names.map((id) => ({ id, text: id, hint: texts.sentences[id] }));
  const fields: FilterField<keyof typeof chosen>[] = [
    { name: 'status', label: texts.status, kind: 'choice', options: statusOptions },
    { name: 'event', label: texts.event, kind: 'choice', options: eventOptions },
    { name: 'from', label: texts.from, kind: 'day' },
    { name: 'to', label: texts.to, kind: 'day' },
  ];
  return (
    <FilterBar fields={fields} values={chosen} onChange={set}>
      {children}
    </FilterBar>
  );
}
