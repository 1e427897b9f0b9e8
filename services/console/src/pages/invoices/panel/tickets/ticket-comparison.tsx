import { Check, Triangle, X } from 'lucide-react';
import { VisuallyHidden } from 'react-aria-components';
import { classes } from '../../../../components/classes.ts';
import { Day, Money } from '../../../../components/data-display/values.tsx';
import { formatDay, formatMoney, formatPercent } from '../../../../i18n/format.ts';
import { useLocale } from '../../../../i18n/locale.tsx';
import { ticketStatuses } from '../../../../words/status-words.ts';
import { type Choice, otherContractor } from '../../rules/choice.ts';
import { compare, type Gap, type Mark, markOf, ticketCurrency } from '../../rules/comparison.ts';
import type { Invoice, Signal } from '../../rules/invoice.ts';
import { useTexts } from '../../texts.ts';
import styles from '../panel.module.css';

type Props = { invoice: Invoice; choice: Choice; hasWhy?: boolean };

/** Invoice and ticket side by side, with the signals for and against the match. `hasWhy`: the signals are known. */
export function TicketComparison({ invoice, choice, hasWhy = true }: Props) {
  const texts = useTexts();
  const other = otherContractor(invoice, choice);
  return (
    <div className={styles['ticketComparison']}>
      <Comparison invoice={invoice} choice={choice} />
      {hasWhy && choice.signals.length === 0 && <p className={styles['muted']}>{texts.noWhy}</p>}
      {hasWhy && choice.signals.length > 0 && <Why signals={choice.signals} otherContractor={other} />}
    </div>
  );
}

function Comparison({ invoice, choice }: { invoice: Invoice; choice: Choice }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const currency = invoice.currency ?? 'EUR';
  const { reference, amount, date, invoiced } = compare(invoice, choice);
  const sum = formatMoney(invoiced.ht, { locale, currency: ticketCurrency });
  return (
    <table className={styles['compare']} aria-label={texts.compared}>
      <thead>
        <tr>
          <td />
          <th scope="col">{texts.onInvoice}</th>
          <th scope="col">{texts.onTicket}</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{texts.reference}</th>
          <td>{reference.invoice ?? '–'}</td>
          <td>{reference.ticket ?? '–'}</td>
        </tr>
        {amount && (
          <tr>
            <th scope="row">{amount.withVat ? texts.amountTtc : texts.amountHt}</th>
            <td>
              <Money amount={amount.invoice} currency={currency} />
            </td>
            <td>
              {amount.ticket === null ? '–' : <Money amount={amount.ticket} currency={ticketCurrency} />}
              {amount.remaining && <span className={styles['small']}> {texts.amountLeft}</span>}
            </td>
          </tr>
        )}
        {amount?.gap && (
          <tr>
            <th scope="row">{texts.gap}</th>
            <td colSpan={2}>
              <GapText gap={amount.gap} />
            </td>
          </tr>
        )}
        <tr>
          <th scope="row">{texts.issuedAndDone}</th>
          <td>{date.invoice ? <Day value={date.invoice} /> : '–'}</td>
          <td>{date.ticket ? <Day value={date.ticket} /> : '–'}</td>
        </tr>
        <tr>
          <th scope="row">{texts.invoicedBefore}</th>
          <td colSpan={2}>{invoiced.count === 0 ? texts.nothingInvoiced : texts.invoicedSum(invoiced.count, sum)}</td>
        </tr>
      </tbody>
    </table>
  );
}

function GapText({ gap: { difference, share, level } }: { gap: Gap }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const sign = difference > 0 ? '+' : difference < 0 ? '−' : '';
  const amount = `${sign}${formatMoney(Math.abs(difference), { locale, currency: ticketCurrency })}`;
  const percent = `${sign}${formatPercent(Math.abs(share), locale)}`;
  return (
    <span className={classes(styles['gap'], styles[level])}>
      {level === 'equal' ? texts.gaps.equal : `${amount} (${percent}), ${texts.gaps[level]}`}
    </span>
  );
}

const icons = { for: Check, doubt: Triangle, against: X };

type WhyProps = { signals: readonly Signal[]; otherContractor: string | null };

function Why({ signals, otherContractor: other }: WhyProps) {
  const texts = useTexts();
  const wording = useWording();
  return (
    <>
      <p className={styles['small']}>{texts.why}</p>
      <ul className={styles['why']} aria-label={texts.why}>
        {other !== null && <Reason mark="against" text={texts.otherContractor(other)} />}
        {signals.map((signal, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same code
          <Reason key={index} mark={markOf(signal)} text={wording(signal)} />
        ))}
      </ul>
    </>
  );
}

function Reason({ mark, text }: { mark: Mark; text: string }) {
  const texts = useTexts();
  const Icon = icons[mark];
  return (
    <li className={styles[mark]}>
      <Icon size={13} aria-hidden="true" strokeWidth={2.5} />
      <span>
        <VisuallyHidden>{texts.labelled(texts.mark[mark], '')}</VisuallyHidden>
        {text}
      </span>
    </li>
  );
}

/** A signal in the user's language, with amounts and days as they are written there. */
export function useWording(): (signal: Signal) => string {
  const texts = useTexts();
  const { locale, language } = useLocale();
  return ({ code, values }) => {
    const currency = values.currency ?? 'EUR';
    const money = (amount = 0) => formatMoney(amount, { locale, currency });
    const basis = values.withVat ? 'TTC' : 'HT';
    const words: Record<string, { en: string; fr: string }> = ticketStatuses;
    return texts.signals[code](values, {
      invoiced: money(values.invoiced),
      basis,
      compared: `${money(values.compared)} ${basis}`,
      date: values.date === undefined ? '' : formatDay(values.date, locale),
      status: words[values.status ?? '']?.[language] ?? values.status ?? '',
    });
  };
}
