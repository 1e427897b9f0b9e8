import { Select } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { isDay, startOfDay } from '../../../routing/days.ts';
import { useUrlState } from '../../../routing/url-state.ts';
import { deliveryStatuses } from '../../../words/status-words.ts';
import { useEventTypes } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import { type Filter, statuses } from './deliveries.ts';

const any = 'any';
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

export function DeliveryFilters({ filter: { chosen, set } }: { filter: DeliveryFilter }) {
  const texts = useTexts();
  const { language } = useLocale();
  const { data: types = [] } = useEventTypes();
  const anyOption = { id: any, text: texts.any };
  const statusOptions = statuses.map((id) => ({ id, text: deliveryStatuses[id][language] }));
  const names = [...types.map(({ type }) => type), 'webhook.test' as const];
  const eventOptions = names.map((id) => ({ id, text: id, hint: texts.sentences[id] }));
  return (
    <>
      <Select
        label={texts.status}
        options={[anyOption, ...statusOptions]}
        value={chosen.status ?? any}
        onChange={(id) => set({ status: statuses.find((one) => one === id) ?? null })}
      />
      <Select
        label={texts.event}
        options={[anyOption, ...eventOptions]}
        value={chosen.event ?? any}
        onChange={(id) => set({ event: id === any ? null : String(id) })}
      />
      <Field label={texts.from} type="date" value={chosen.from ?? ''} onChange={(day) => set({ from: day || null })} />
      <Field label={texts.to} type="date" value={chosen.to ?? ''} onChange={(day) => set({ to: day || null })} />
    </>
  );
}
