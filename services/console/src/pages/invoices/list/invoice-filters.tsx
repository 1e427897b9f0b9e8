import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { ExportButtons } from '../../../components/data-display/export-buttons.tsx';
import { Money } from '../../../components/data-display/values.tsx';
import type { FilterField } from '../../../components/filters/filter-control.tsx';
import { FilterDialog } from '../../../components/filters/filter-dialog.tsx';
import { formatNumber } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { may } from '../../../session/permissions.ts';
import { FilterLinks } from '../../../session/saved-filters/filter-links.tsx';
import { useSession } from '../../../session/session.ts';
import { groupsInWords, invoiceFigures, inWords } from '../../../words/figure-words.ts';
import { invoiceStates } from '../../../words/status-words.ts';
import { optionsOf, useContractors, useLocations } from '../../tickets/choices.ts';
import { readSheet, useTotals } from '../data/invoice-queries.ts';
import {
  amounts,
  days,
  type FilterName,
  filterIn,
  type InvoiceFilter,
  reviewReasons,
  sortColumns,
} from '../rules/invoice-filter.ts';
import { useTexts } from '../texts.ts';
import styles from './list.module.css';

type Props = { search: string; filter: InvoiceFilter; onFilter: (filter: InvoiceFilter) => void };

/** Filters and order of the list of all invoices, what it adds up to, and its files. */
export function InvoiceFilters({ search, filter, onFilter }: Props) {
  const texts = useTexts();
  const [isOpened, setOpened] = useState(false);
  const count = Object.keys(filter).length;
  const isSet = count > 0 || search !== '';
  return (
    <div className={styles['tools']}>
      <FilterLinks list="invoices" page="/invoices" isSet={isSet} />
      <FilterDialog<FilterName>
        title={texts.filterTitle}
        counted={texts.filters}
        fields={useFields(isOpened, filter.countedOf)}
        values={filter}
        onOpen={() => setOpened(true)}
        onFilter={(chosen) => onFilter(filterIn({ ...chosen, currency: chosen.currency?.toUpperCase() }))}
      />
      {count > 0 && (
        <Button variant="quiet" onPress={() => onFilter({})}>
          {texts.clearFilters}
        </Button>
      )}
      <ExportButtons name={texts.fileName} read={(format) => readSheet(search, filter, format)} />
      {isSet && <Totals search={search} filter={filter} />}
    </div>
  );
}

function Totals({ search, filter }: Pick<Props, 'search' | 'filter'>) {
  const texts = useTexts();
  const { locale } = useLocale();
  const { data = [] } = useTotals(search, filter);
  const read = data.flatMap(({ currency, ...total }) => (currency === null ? [] : [{ currency, ...total }]));
  return (
    <ul className={styles['totals']} aria-label={texts.totals}>
      {read.map(({ currency, count, ht, ttc }) => (
        <li key={currency}>
          {texts.countOf(count, formatNumber(count, locale))}
          <Money amount={ht} currency={currency} basis="HT" />
          <Money amount={ttc} currency={currency} basis="TTC" />
        </li>
      ))}
    </ul>
  );
}

function useFields(isOpened: boolean, countedOf: string | undefined): FilterField<FilterName>[] {
  const texts = useTexts();
  const { language } = useLocale();
  const session = useSession();
  const hasPlaces = may(session, 'tickets');
  // Of invoices elsewhere, amounts and their order would tell a limited user too much.
  const isLimited = session.place_ids.length > 0;
  const suppliers = useContractors({ isOn: isOpened });
  const places = useLocations({ isOn: hasPlaces && isOpened });
  const label = (name: keyof typeof texts.filterNames) => ({ name, label: texts.filterNames[name] });
  const reasons = reviewReasons.map((id) => ({ id, text: texts.short[id] }));
  const sorts = sortColumns.map((id) => ({ id, text: texts.sorts[id] }));
  const orders = (['desc', 'asc'] as const).map((id) => ({ id, text: texts.orders[id] }));
  const groups = groupsInWords(countedOf, texts.none, optionsOf(suppliers.data));
  return [
    { ...label('state'), kind: 'choice', options: inWords(invoiceStates, language) },
    { ...label('reason'), kind: 'choice', options: reasons },
    { ...label('countedIn'), kind: 'choice', options: inWords(invoiceFigures, language) },
    ...(countedOf ? ([{ ...label('countedOf'), kind: 'choice', options: groups }] as const) : []),
    ...(isLimited ? [] : ([{ ...label('sort'), kind: 'choice', options: sorts, unset: 'createdAt' }] as const)),
    { ...label('order'), kind: 'choice', options: orders, unset: 'desc' },
    { ...label('supplier'), kind: 'lookup', options: optionsOf(suppliers.data) },
    ...(hasPlaces ? ([{ ...label('place'), kind: 'lookup', options: optionsOf(places.data) }] as const) : []),
    { ...label('purchaseOrder'), kind: 'text' },
    ...(isLimited ? [] : amounts).map((name) => ({ ...label(name), kind: 'amount' as const })),
    { ...label('currency'), kind: 'text' },
    ...days.map((name) => ({ ...label(name), kind: 'day' as const })),
  ];
}
