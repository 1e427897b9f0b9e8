import { Button } from '../../components/button.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { ExportButtons } from '../../components/data-display/export-buttons.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { FilterBar } from '../../components/filters/filter-bar.tsx';
import type { FilterField } from '../../components/filters/filter-control.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { isDay, startOfDay } from '../../routing/days.ts';
import { isId, useUrlState } from '../../routing/url-state.ts';
import styles from './audit.module.css';
import { type Entry, type Filter, readSheet, useAudit, usePeople } from './audit.ts';
import { useTexts } from './texts.ts';

const isAction = (value: string) => /^[a-z_.]{1,60}$/.test(value);
const allowed = { action: isAction, user: isId, from: isDay, to: isDay };

export function AuditPage() {
  const texts = useTexts();
  const [chosen, set] = useUrlState(allowed);
  const { timeZone } = useLocale();
  const filter = filterOf(chosen, timeZone);
  const list = useAudit(filter);
  const people = usePeople().data?.map(({ id, first_name, last_name, email }) => {
    return { id, text: `${first_name} ${last_name}`, hint: email };
  });
  const clear = () => set({ action: null, user: null, from: null, to: null });
  const empty = (
    <EmptyState title={texts.none} action={<Button onPress={clear}>{texts.clearFilters}</Button>}>
      {texts.noneHint}
    </EmptyState>
  );
  const actions = Object.entries(texts.actions).map(([id, text]) => ({ id, text }));
  const fields: FilterField<keyof typeof chosen>[] = [
    { name: 'action', label: texts.action, kind: 'choice', options: actions },
    { name: 'user', label: texts.who, kind: 'lookup', options: people },
    { name: 'from', label: texts.from, kind: 'day' },
    { name: 'to', label: texts.to, kind: 'day' },
  ];
  const files = <ExportButtons name={texts.audit} read={(format) => readSheet(filter, format)} />;
  return (
    <Page title={texts.audit} intro={texts.intro} actions={files}>
      <FilterBar fields={fields} values={chosen} onChange={set} />
      <Paged list={list} empty={empty}>
        {(entries) => <Log entries={entries} />}
      </Paged>
    </Page>
  );
}

type Chosen = { action?: string; user?: string; from?: string; to?: string };

function filterOf({ action, user, from, to }: Chosen, timeZone: string): Filter {
  return {
    ...(action && { action: [action as Entry['action']] }),
    ...(user && { user_id: user }),
    ...(from && { since: startOfDay(from, timeZone) }),
    ...(to && { until: startOfDay(to, timeZone, 1) }),
  };
}

function Log({ entries }: { entries: Entry[] }) {
  const texts = useTexts();
  const who = { platform: texts.platform, unknown: texts.unknown, user: texts.unknown };
  const columns: DataColumn<Entry>[] = [
    { title: texts.what, kind: 'header', cell: (entry) => <What entry={entry} /> },
    { title: texts.who, cell: ({ actor }) => actor.name ?? who[actor.kind] },
    { title: texts.target, isMinor: true, cell: ({ target }) => target?.name },
    { title: texts.where, isMinor: true, cell: ({ from }) => from.address },
    { title: texts.at, cell: ({ at }) => <DateTime value={at} /> },
  ];
  return <DataTable label={texts.log} columns={columns} items={entries} keyOf={({ id }) => id} />;
}

function What({ entry: { action, details } }: { entry: Entry }) {
  const texts = useTexts();
  const { reason, count, changes } = details;
  const fields = changes.map(({ field }) => texts.fields[field] ?? field).join(', ');
  const more = [
    reason !== null && (texts.reasons[reason] ?? reason),
    count !== null && count > 0 && texts.failedBefore(count),
    fields !== '' && texts.changed(fields),
  ].filter((text) => typeof text === 'string');
  return (
    <>
      <span title={action}>{texts.actions[action] ?? action}</span>
      {more.length > 0 && <div className={styles['more']}>{more.join(' · ')}</div>}
    </>
  );
}
