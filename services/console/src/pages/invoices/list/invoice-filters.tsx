import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { ExportButtons } from '../../../components/data-display/export-buttons.tsx';
import { Money } from '../../../components/data-display/values.tsx';
import { readingsOf } from '../../../components/forms/amount.ts';
import { AmountField } from '../../../components/forms/amount-field.tsx';
import { Select } from '../../../components/forms/choice.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Form, textOf } from '../../../components/forms/form.tsx';
import { Dialog } from '../../../components/overlays/overlay.tsx';
import { formatNumber } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { invoiceStates } from '../../../words/status-words.ts';
import { readSheet, useTotals } from '../data/invoice-queries.ts';
import { filterIn, filterNames, type InvoiceFilter, reviewReasons, sortColumns } from '../rules/invoice-filter.ts';
import { useTexts } from '../texts.ts';
import styles from './list.module.css';

type Props = { search: string; filter: InvoiceFilter; onFilter: (filter: InvoiceFilter) => void };

/** Filters and order of the list of all invoices, what it adds up to, and its files. */
export function InvoiceFilters({ search, filter, onFilter }: Props) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const count = filterNames.filter((name) => filter[name] !== undefined).length;
  return (
    <div className={styles['tools']}>
      <Button variant="quiet" aria-haspopup="dialog" onPress={() => setOpen(true)}>
        {count === 0 ? texts.filterTitle : texts.filters(count)}
      </Button>
      {count > 0 && (
        <Button variant="quiet" onPress={() => onFilter({})}>
          {texts.clearFilters}
        </Button>
      )}
      <ExportButtons name={texts.fileName} read={(format) => readSheet(search, filter, format)} />
      {(count > 0 || search !== '') && <Totals search={search} filter={filter} />}
      <Dialog title={texts.filterTitle} isOpen={isOpen} onOpenChange={setOpen}>
        <FilterForm
          filter={filter}
          onFilter={(chosen) => {
            onFilter(chosen);
            setOpen(false);
          }}
        />
      </Dialog>
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

const any = 'any';
const fields = ['currency', 'purchaseOrder', 'issuedFrom', 'issuedTo', 'dueFrom', 'dueTo'] as const;
const amounts = ['amountFrom', 'amountTo'] as const;
const choices = ['state', 'reason', 'sort', 'order'] as const;

function FilterForm({ filter, onFilter }: Pick<Props, 'filter' | 'onFilter'>) {
  const texts = useTexts();
  const { language } = useLocale();
  const states = Object.entries(invoiceStates).map(([id, words]) => ({ id, text: words[language] }));
  const optionsOf = {
    state: [{ id: any, text: texts.any }, ...states],
    reason: [{ id: any, text: texts.any }, ...reviewReasons.map((id) => ({ id, text: texts.short[id] }))],
    sort: sortColumns.map((id) => ({ id, text: texts.sorts[id] })),
    order: (['desc', 'asc'] as const).map((id) => ({ id, text: texts.orders[id] })),
  };
  const unset = { state: any, reason: any, sort: 'createdAt', order: 'desc' };
  const apply = (values: FormData) => {
    const chosen = choices.map((name) => [
      name,
      textOf(values, name) === unset[name] ? undefined : textOf(values, name),
    ]);
    const typed = fields.map((name) => [name, textOf(values, name)]);
    const read = amounts.map((name) => [name, readingsOf(textOf(values, name) ?? '')[0]]);
    const all: Record<string, string | undefined> = Object.fromEntries([...chosen, ...typed, ...read]);
    onFilter(filterIn({ ...all, currency: all['currency']?.toUpperCase() }));
  };
  const textField = (name: (typeof fields)[number]) => (
    <Field
      key={name}
      label={texts.filterNames[name]}
      name={name}
      type={/From|To/.test(name) ? 'date' : 'text'}
      defaultValue={filter[name] ?? ''}
      maxLength={100}
    />
  );
  return (
    <Form
      error={null}
      onSubmit={apply}
      actions={
        <Button type="submit" variant="primary">
          {texts.applyFilters}
        </Button>
      }
    >
      {choices.map((name) => (
        <Select
          key={name}
          label={texts.filterNames[name]}
          name={name}
          options={optionsOf[name]}
          defaultValue={filter[name] ?? unset[name]}
        />
      ))}
      {amounts.map((name) => (
        <AmountField key={name} label={texts.filterNames[name]} name={name} defaultValue={filter[name] ?? ''} />
      ))}
      {fields.map(textField)}
    </Form>
  );
}
