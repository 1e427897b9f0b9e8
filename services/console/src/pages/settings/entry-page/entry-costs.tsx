import type { TicketSchemas } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { call, tickets } from '../../../api/client.ts';
import { ListFile } from '../../../components/data-display/list-file.tsx';
import { Money } from '../../../components/data-display/values.tsx';
import { DescriptionList, Hint, Section } from '../../../components/layout/sections.tsx';
import { Loaded } from '../../../components/states.tsx';
import { formatNumber } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import type { PagedKind } from '../kinds.ts';
import { useTexts } from '../texts.ts';

type Amounts = Pick<TicketSchemas['Costs'], 'quotes_ht' | 'orders_ht' | 'invoiced_ht'>;

/** What the work at a place, or on equipment, came to. */
export function EntryCosts({ kind, id }: { kind: PagedKind; id: string }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const query = useQuery({
    queryKey: ['tickets', 'list', 'costs', kind, id],
    queryFn: ({ signal }) =>
      call(
        kind === 'locations'
          ? tickets.GET('/api/v3.0/locations/{location_id}/costs', { params: { path: { location_id: id } }, signal })
          : tickets.GET('/api/v3.0/equipments/{equipment_id}/costs', {
              params: { path: { equipment_id: id } },
              signal,
            }),
      ),
  });
  const amountsOf = ({ quotes_ht, orders_ht, invoiced_ht }: Amounts) => [
    { name: texts.validatedQuotes, amount: quotes_ht },
    { name: texts.orders, amount: orders_ht },
    { name: texts.invoices, amount: invoiced_ht },
  ];
  const file = query.data && (
    <ListFile
      name={texts.costs}
      of={texts.costs}
      columns={[
        { title: texts.costs, cell: ({ name }) => name },
        { title: 'EUR, HT', cell: ({ amount }) => Number(amount) },
      ]}
      read={async () => amountsOf(query.data)}
    />
  );
  return (
    <Section title={texts.costs} hint={texts.costsHint} actions={file}>
      <Loaded query={query} rows={2}>
        {({ with_vat, is_more, tickets: count, ...costs }) => (
          <>
            <DescriptionList
              entries={amountsOf(costs).map(({ name, amount }) => [
                name,
                <Money key={name} amount={amount} basis="HT" />,
              ])}
            />
            {with_vat > 0 && <Hint>{texts.withVat(with_vat)}</Hint>}
            {is_more && <Hint>{texts.newestOnly(formatNumber(count, locale))}</Hint>}
          </>
        )}
      </Loaded>
    </Section>
  );
}
