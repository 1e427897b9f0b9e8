import { Button } from '../../components/button.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { Select } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { isDay, startOfDay } from '../../routing/days.ts';
import { useUrlState } from '../../routing/url-state.ts';
import styles from './audit.module.css';
import { type Entry, type Filter, useAudit } from './audit.ts';
import { useTexts } from './texts.ts';

const any = 'any';
const isAction = (value: string) => /^[a-z_.]{1,60}$/.test(value);
const allowed = { action: isAction, from: isDay, to: isDay };

export function AuditPage() {
  const texts = useTexts();
  const [chosen, set] = useUrlState(allowed);
  const { timeZone } = useLocale();
  const list = useAudit(filterOf(chosen, timeZone));
  const clear = () => set({ action: null, from: null, to: null });
  const empty = (
    <EmptyState title={texts.none} action={<Button onPress={clear}>{texts.clearFilters}</Button>}>
      {texts.noneHint}
    </EmptyState>
  );
  const actions = Object.entries(texts.actions).map(([id, text]) => ({ id, text }));
  return (
    <Page title={texts.title} intro={texts.intro}>
      <div className={styles['filters']}>
        <Select
          label={texts.action}
          options={[{ id: any, text: texts.any }, ...actions]}
          value={chosen.action ?? any}
          onChange={(id) => set({ action: id === any ? null : String(id) })}
        />
        <Field
          label={texts.from}
          type="date"
          value={chosen.from ?? ''}
          onChange={(day) => set({ from: day || null })}
        />
        <Field label={texts.to} type="date" value={chosen.to ?? ''} onChange={(day) => set({ to: day || null })} />
      </div>
      <Paged list={list} empty={empty}>
        {(entries) => <Log entries={entries} />}
      </Paged>
    </Page>
  );
}

type Chosen = { action?: string; from?: string; to?: string };

function filterOf({ action, from, to }: Chosen, timeZone: string): Filter {
  return {
    ...(action && { action }),
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
