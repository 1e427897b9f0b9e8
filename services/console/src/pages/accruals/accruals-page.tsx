import type { TsSchemas } from '@app/api-client';
import { call, ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { Button } from '../../components/button.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { ExportButtons } from '../../components/data-display/export-buttons.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { Day, Money } from '../../components/data-display/values.tsx';
import { FilterBar } from '../../components/filters/filter-bar.tsx';
import type { FilterField } from '../../components/filters/filter-control.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { daysLater, isDay } from '../../routing/days.ts';
import { useUrlState } from '../../routing/url-state.ts';
import { ticketArea } from '../../session/permissions.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from './texts.ts';

const allowed = { state: ['done', 'received'], from: isDay, to: isDay } as const;

type Accrual = TsSchemas['Accrual'];

/** What accounting sets aside at a month's end: the tickets behind the figure of Home. */
export function AccrualsPage() {
  const texts = useTexts();
  const [chosen, set] = useUrlState(allowed);
  const { state, from, to } = chosen;
  const query = { ...(state && { state }), ...(from && { from }), ...(to && { to: daysLater(to, 1) }) };
  const list = usePages<Accrual>({
    key: ['accruals', query],
    read: (cursor, signal) =>
      pageOf(ts.GET('/invoice-tickets', { params: { query: { ...pageQuery(cursor), ...query } }, signal })),
  });
  const isSet = state || from || to;
  const clear = isSet && (
    <Button onPress={() => set({ state: null, from: null, to: null })}>{texts.clearFilters}</Button>
  );
  const fields: FilterField<keyof typeof chosen>[] = [
    {
      name: 'state',
      label: texts.state,
      kind: 'choice',
      options: allowed.state.map((id) => ({ id, text: texts.states[id] })),
    },
    { name: 'from', label: texts.from, kind: 'day' },
    { name: 'to', label: texts.to, kind: 'day' },
  ];
  const files = (
    <ExportButtons
      name={texts.fileName}
      read={(format) =>
        call(ts.GET('/invoice-tickets/export', { params: { query: { ...query, ...format } }, parseAs: 'blob' }))
      }
    />
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={files}>
      <FilterBar fields={fields} values={chosen} onChange={set} />
      <Paged list={list} empty={<EmptyState title={isSet ? texts.noneFound : texts.none} action={clear} />}>
        {(items) => <Accruals items={items} />}
      </Paged>
    </Page>
  );
}

function Accruals({ items }: { items: Accrual[] }) {
  const texts = useTexts();
  const area = ticketArea(useSession());
  const columns: DataColumn<Accrual>[] = [
    { title: texts.ticket, kind: 'header', isWide: true, cell: ({ number, title }) => `${number} ${title}` },
    { title: texts.contractors, isMinor: true, cell: ({ contractors }) => contractors.join(', ') },
    { title: texts.places, isMinor: true, cell: ({ places }) => places.join(', ') },
    { title: texts.state, isMinor: true, cell: ({ state }) => texts.states[state] },
    { title: texts.day, cell: ({ day }) => <Day value={day} /> },
    { title: texts.left, kind: 'number', cell: ({ amount }) => <Left amount={amount} /> },
    { title: texts.leftWithVat, kind: 'number', cell: ({ amount_with_vat: amount }) => <Left amount={amount} /> },
  ];
  return (
    <DataTable
      label={texts.title}
      columns={columns}
      items={items}
      keyOf={({ _id }) => _id}
      hrefOf={({ _id }) => `${area}/${_id}`}
    />
  );
}

/** Nothing where nobody has ordered or quoted an amount of this kind. */
function Left({ amount }: { amount: number | null }) {
  return amount === null ? '–' : <Money amount={amount} />;
}
