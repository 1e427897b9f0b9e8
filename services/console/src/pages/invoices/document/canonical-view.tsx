import type { ReactNode } from 'react';
import { Day, Money } from '../../../components/data-display/values.tsx';
import { formatNumber, formatPercent } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import type { Invoice } from '../rules/invoice.ts';
import { Sums } from '../sums.tsx';
import { useTexts } from '../texts.ts';
import styles from './canonical.module.css';

/** The fields of an invoice, laid out like one. */
export function CanonicalView({ invoice, note }: { invoice: Invoice; note: string }) {
  const texts = useTexts();
  const { supplier, number, matchHints, issueDate, dueDate } = invoice;
  const currency = invoice.currency ?? 'EUR';
  const reference = matchHints.poRef ?? matchHints.ticketRef ?? matchHints.orderRef;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard, too
    <section className={styles['desk']} tabIndex={0} aria-label={texts.readFields}>
      <p className={styles['note']}>{note}</p>
      <article className={styles['paper']}>
        <header className={styles['head']}>
          <div>
            <p className={styles['supplier']}>{supplier.name ?? texts.unnamedSupplier}</p>
            <Fact name={texts.siret} value={supplier.siret ?? supplier.siren} />
            <Fact name={texts.iban} value={supplier.accounts.join(', ')} />
          </div>
          <div className={styles['about']}>
            <p className={styles['number']}>{number ?? texts.unnumbered}</p>
            <Fact name={texts.issued} value={issueDate && <Day value={issueDate} />} />
            <Fact name={texts.due} value={dueDate && <Day value={dueDate} />} />
            <Fact name={texts.reference} value={reference} />
          </div>
        </header>
        <Lines invoice={invoice} currency={currency} />
        <Vat invoice={invoice} currency={currency} />
        <Sums invoice={invoice} className={styles['sums']} />
      </article>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  if (value === null || value === undefined || value === '') return null;
  return (
    <p className={styles['fact']}>
      <span>{name}</span> {value}
    </p>
  );
}

function Lines({ invoice: { lines = [] }, currency }: { invoice: Invoice; currency: string }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const money = (amount: number | null) => amount !== null && <Money amount={amount} currency={currency} />;
  return (
    <table className={styles['table']} aria-label={texts.lines}>
      <thead>
        <tr>
          <th scope="col">{texts.label}</th>
          <th scope="col">{texts.quantity}</th>
          <th scope="col">{texts.unitPrice}</th>
          <th scope="col">{texts.vatRate}</th>
          <th scope="col">{texts.ht}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ label, qty, unitPrice, ht, vatRate }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else, and never move
          <tr key={index}>
            <td>{label}</td>
            <td>{qty !== null && formatNumber(qty, locale)}</td>
            <td>{money(unitPrice)}</td>
            <td>{vatRate !== null && formatPercent(vatRate, locale)}</td>
            <td>{money(ht)}</td>
          </tr>
        ))}
        {lines.length === 0 && (
          <tr>
            <td colSpan={5} className={styles['empty']}>
              {texts.noLines}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Vat({ invoice: { vatBreakdown }, currency }: { invoice: Invoice; currency: string }) {
  const texts = useTexts();
  const { locale } = useLocale();
  if (vatBreakdown.length === 0) return null;
  return (
    <table className={styles['table']} aria-label={texts.vat}>
      <thead>
        <tr>
          <th scope="col">{texts.vatRate}</th>
          <th scope="col">{texts.base}</th>
          <th scope="col">{texts.vat}</th>
        </tr>
      </thead>
      <tbody>
        {vatBreakdown.map(({ rate, base, amount }) => (
          <tr key={`${rate} ${base}`}>
            <td>{formatPercent(rate, locale)}</td>
            <td>
              <Money amount={base} currency={currency} />
            </td>
            <td>
              <Money amount={amount} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
