import { useQuery } from '@tanstack/react-query';
import { call, tickets } from '../../../api/client.ts';
import { Money } from '../../../components/data-display/values.tsx';
import { DescriptionList, Hint, Section } from '../../../components/layout/sections.tsx';
import { Loaded } from '../../../components/states.tsx';
import { formatNumber } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import type { PagedKind } from '../kinds.ts';
import { useTexts } from '../texts.ts';

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
  return (
    <Section title={texts.costs} hint={texts.costsHint}>
      <Loaded query={query} rows={2}>
        {({ quotes_ht, orders_ht, invoiced_ht, with_vat, is_more, tickets: count }) => (
          <>
            <DescriptionList
              entries={[
                [texts.validatedQuotes, <Money key="quotes" amount={quotes_ht} basis="HT" />],
                [texts.orders, <Money key="orders" amount={orders_ht} basis="HT" />],
                [texts.invoices, <Money key="invoices" amount={invoiced_ht} basis="HT" />],
              ]}
            />
            {with_vat > 0 && <Hint>{texts.withVat(with_vat)}</Hint>}
            {is_more && <Hint>{texts.newestOnly(formatNumber(count, locale))}</Hint>}
          </>
        )}
      </Loaded>
    </Section>
  );
}
