import { useEffect, useState } from 'react';
import { Select } from '../../../components/choice.tsx';
import { SearchField } from '../../../components/field.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { useUrlState } from '../../../routing/url-state.ts';
import { useSession } from '../../../session/session.ts';
import { ticketStatuses } from '../../../words/status-words.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { type Filter, isSearch, priorities, statuses, type ViewName, viewsOf } from './views.ts';

const any = 'any';
const typingMs = 250;

export type TicketFilter = ReturnType<typeof useTicketFilter>;

/** The filter of the list, kept in the address. */
export function useTicketFilter() {
  const { company } = useSession();
  const isView = (value: string) => viewsOf(company.kind).some(([name]) => name === value);
  const [chosen, set] = useUrlState({
    view: isView,
    status: statuses,
    q: isSearch,
    priority: priorities,
    order: ['asc', 'desc'],
  });
  const values = chosen as Filter & { view?: ViewName };
  const clear = () => set({ view: null, status: null, q: null, priority: null, order: null });
  return { values, set, clear, isSet: Object.keys(values).length > 0 };
}

export function TicketFilters({ filter: { values, set } }: { filter: TicketFilter }) {
  const texts = useTexts();
  const { language } = useLocale();
  const anyOption = { id: any, text: texts.any };
  const statusOptions = statuses.map((id) => ({ id, text: ticketStatuses[id][language] }));
  return (
    <div className={styles['filters']}>
      <Search value={values.q ?? ''} onSearch={(q) => set({ q: isSearch(q) ? q : null }, { replace: true })} />
      <Select
        label={texts.status}
        options={[anyOption, ...statusOptions]}
        value={values.status ?? any}
        onChange={(id) => set({ status: statuses.find((one) => one === id) ?? null })}
      />
      <Select
        label={texts.priority}
        options={[anyOption, ...priorities.map((id) => ({ id, text: texts.priorities[id] }))]}
        value={values.priority ?? any}
        onChange={(id) => set({ priority: priorities.find((one) => one === id) ?? null })}
      />
      <Select
        label={texts.order}
        options={(['desc', 'asc'] as const).map((id) => ({ id, text: texts.orders[id] }))}
        value={values.order ?? 'desc'}
        onChange={(id) => set({ order: id === 'asc' ? 'asc' : null })}
      />
    </div>
  );
}

/** Searches once the typing pauses; the address may also change without it. */
function Search({ value, onSearch }: { value: string; onSearch: (text: string) => void }) {
  const texts = useTexts();
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    if (value !== text.trim()) setText(value);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed alone starts the wait
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return;
    const timer = setTimeout(() => onSearch(wanted), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className={styles['search']}>
      <SearchField label={texts.search} placeholder={texts.searchHint} value={text} onChange={setText} />
    </div>
  );
}
