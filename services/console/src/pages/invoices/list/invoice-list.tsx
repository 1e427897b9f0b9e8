import { type MouseEvent, useEffect, useRef } from 'react';
import { GridList, GridListItem } from 'react-aria-components';
import { classes } from '../../../components/classes.ts';
import { Badge, StatusBadge } from '../../../components/data-display/badge.tsx';
import { LoadMore } from '../../../components/data-display/load-more.tsx';
import { Ago, Money } from '../../../components/data-display/values.tsx';
import { formatMoney } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { invoiceStates } from '../../../words/status-words.ts';
import { type List, type ListedInvoice, rowFlags, signedTotal } from '../rules/invoice.ts';
import { useTexts } from '../texts.ts';
import styles from './list.module.css';

type InvoiceListProps = {
  list: List;
  items: readonly ListedInvoice[];
  selected: string | null;
  onSelect: (id: string) => void;
  more: (() => void) | null;
  isLoadingMore: boolean;
};

/** The rows of a list. One is always selected, and the bench beside the list shows it. */
export function InvoiceList({ list, items, selected, onSelect, more, isLoadingMore }: InvoiceListProps) {
  const texts = useTexts();
  const { locale } = useLocale();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (selected !== null)
      place.current?.querySelector(`[data-key="${selected}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <div ref={place}>
      <GridList
        aria-label={texts.invoices}
        className={styles['list'] as string}
        items={items}
        dependencies={[list, locale]}
        selectionMode="single"
        selectionBehavior="replace"
        disallowEmptySelection
        selectedKeys={selected === null ? [] : [selected]}
        onSelectionChange={(keys) => {
          const [chosen] = keys === 'all' ? [] : [...keys];
          if (chosen !== undefined && chosen !== selected) onSelect(String(chosen));
        }}
      >
        {(invoice) => (
          <GridListItem id={invoice.id} textValue={nameOf(invoice, locale, texts)} className={styles['item'] as string}>
            <InvoiceRow invoice={invoice} list={list} />
          </GridListItem>
        )}
      </GridList>
      <LoadMore more={more} isLoading={isLoadingMore} />
    </div>
  );
}

type Names = { unnamedSupplier: string; unnumbered: string };

/** `Chauffage Durand, FA-101, €625.20`. */
function nameOf(invoice: ListedInvoice, locale: string, texts: Names): string {
  const { supplier, number, currency } = invoice;
  const total = signedTotal(invoice);
  const amount = total === null ? [] : [formatMoney(total, { locale, currency: currency ?? 'EUR' })];
  return [supplier.name ?? texts.unnamedSupplier, number ?? texts.unnumbered, ...amount].join(', ');
}

/** The link of a row opens it in another tab; without such a key, the row is selected. */
function isForOtherTab({ ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  return ctrlKey || metaKey || shiftKey;
}

function InvoiceRow({ invoice, list }: { invoice: ListedInvoice; list: List }) {
  const texts = useTexts();
  const { id, supplier, number, currency, createdAt, flags, state, kind } = invoice;
  const total = signedTotal(invoice);
  const reasons = 'reasonCodes' in invoice ? (invoice.reasonCodes as { code: string }[]) : [];
  const held =
    list === 'queue'
      ? []
      : reasons.flatMap(({ code }) => (code in texts.short ? [code as keyof typeof texts.short] : []));
  const others = rowFlags(flags.filter((flag) => flag !== 'credit_note')).filter(
    (flag) => !reasons.some(({ code }) => code === flag),
  );
  const shown = list === 'all' ? [] : others.slice(0, 2 - Math.min(held.length, 2));
  return (
    <>
      <span className={styles['top']}>
        <a
          href={`?list=${list}&i=${id}`}
          tabIndex={-1}
          className={styles['supplier']}
          onPointerDown={(event) => isForOtherTab(event) && event.stopPropagation()}
          onClick={(event) => !isForOtherTab(event) && event.preventDefault()}
        >
          {supplier.name ?? texts.unnamedSupplier}
        </a>
        {total !== null && <Money amount={total} currency={currency ?? 'EUR'} basis="TTC" />}
      </span>
      <span className={styles['bottom']}>
        <span className={styles['number']}>{number ?? texts.unnumbered}</span>
        <span className={styles['age']}>
          <Ago value={createdAt} />
        </span>
      </span>
      {(list === 'all' || state === 'error' || kind === 'credit_note' || held.length + shown.length > 0) && (
        <span className={classes(styles['flags'])}>
          {kind === 'credit_note' && <Badge family="neutral">{texts.flags['credit_note']}</Badge>}
          {list === 'all' || state === 'error' ? <StatusBadge words={invoiceStates} code={state} /> : null}
          {list !== 'all' &&
            held.slice(0, 2).map((code) => (
              <Badge key={code} family="warning">
                {texts.short[code]}
              </Badge>
            ))}
          {shown.map((flag) => (
            <Badge key={flag} family="warning">
              {texts.flags[flag] ?? flag}
            </Badge>
          ))}
        </span>
      )}
    </>
  );
}
