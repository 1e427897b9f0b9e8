import { Info } from 'lucide-react';
import { Fragment } from 'react';
import { Link } from 'react-aria-components';
import { formatMoney } from '../../../../i18n/format.ts';
import { useLocale } from '../../../../i18n/locale.tsx';
import { confirmsIban } from '../../rules/choice.ts';
import { sumOf } from '../../rules/comparison.ts';
import { type Invoice, notesOf, type Reason, warningsOf } from '../../rules/invoice.ts';
import { useTexts } from '../../texts.ts';
import type { DecisionState } from '../decision.ts';
import styles from '../panel.module.css';
import { ReasonText } from '../reason-text.tsx';
import { Alert } from './alert.tsx';
import { ChangesAlert } from './changes-alert.tsx';
import { DuplicateAlert } from './duplicate-alert.tsx';
import { IbanAlert } from './iban-alert.tsx';

type AlertsProps = { invoice: Invoice; decision: DecisionState; onClear: () => void };

/** All alerts of an invoice, worst first. */
export function Alerts({ invoice, decision, onClear }: AlertsProps) {
  const texts = useTexts();
  const { state, reasonCodes, flags, error, history } = invoice;
  const has = (code: string) => state === 'manual_review' && reasonCodes.some((reason) => reason.code === code);
  const warnings = warningsOf(flags).filter((flag) => !(flag === 'supplier_is_client' && has('supplier_is_client')));
  return (
    <>
      {error && <ErrorAlert error={error} history={history} />}
      {confirmsIban(invoice) && <IbanAlert invoice={invoice} decision={decision} />}
      {invoice.sharedAccounts.length > 0 && <SharedAccountsAlert invoice={invoice} />}
      {has('duplicate_suspected') && <DuplicateAlert invoice={invoice} onClear={onClear} />}
      {has('changed_after_link') && <ChangesAlert invoice={invoice} />}
      {has('amounts_inconsistent') && <AmountsAlert invoice={invoice} />}
      {state === 'manual_review' &&
        reasonCodes.filter(isPlain).map((reason) => <ReasonAlert key={reason.code} reason={reason} />)}
      {warnings.map((flag) => (
        <Alert key={flag} title={texts.flags[flag] ?? flag}>
          {texts.flagHints[flag]}
        </Alert>
      ))}
      {notesOf(flags).map((flag) => (
        <p key={flag} className={styles['note']}>
          <Info size={14} aria-hidden="true" />
          {texts.flags[flag] ?? flag}
        </p>
      ))}
      {invoice.warnings.length > 0 && (
        <Alert title={texts.notRead}>
          {invoice.warnings.map((warning) => (
            <p key={warning} lang="en">
              {warning}
            </p>
          ))}
        </Alert>
      )}
      <RelatedNotes invoice={invoice} />
    </>
  );
}

function SharedAccountsAlert({ invoice: { sharedAccounts } }: { invoice: Invoice }) {
  const texts = useTexts();
  return (
    <Alert title={texts.accountShared} isDanger isRegion>
      <ul>
        {sharedAccounts.map(({ account, siren, name }) => (
          <li key={`${account} ${siren}`}>{texts.accountAlsoOf(account, name ?? texts.unnamedSupplier, siren)}</li>
        ))}
      </ul>
    </Alert>
  );
}

type ErrorProps = { error: NonNullable<Invoice['error']>; history: Invoice['history'] };

/** Content that cannot be read is not read again by itself. */
const unreadable = ['unmappable', 'document_refused'];

function ErrorAlert({ error: { step, code, attempts }, history }: ErrorProps) {
  const texts = useTexts();
  const reasons = history.findLast(({ to }) => to === 'error')?.reasonCodes ?? [];
  const why = reasons.filter((reason) => reason.code !== 'step_failed');
  return (
    <Alert title={texts.failedStep(texts.steps[step] ?? step)} isDanger>
      <p title={code}>
        {why.map((reason) => (
          <Fragment key={reason.code}>
            <ReasonText reason={reason} />
            {'. '}
          </Fragment>
        ))}
        {unreadable.includes(code) ? texts.failedForGood : `${texts.attempts(attempts)}. ${texts.failedHint}`}
      </p>
    </Alert>
  );
}

const withOwnAlert = ['iban_changed', 'duplicate_suspected', 'changed_after_link', 'amounts_inconsistent'];
const isPlain = ({ code }: Reason) => !withOwnAlert.includes(code);

function ReasonAlert({ reason }: { reason: Reason }) {
  const texts = useTexts();
  if (reason.values.text !== undefined) return <Alert title={<ReasonText reason={reason} />} />;
  // The first sentence is the title, the rest says what to do.
  const [title = '', ...rest] = texts.reasons[reason.code](reason.values).split(/(?<=\.)\s/);
  return <Alert title={title.replace(/\.$/, '')}>{rest.join(' ')}</Alert>;
}

function AmountsAlert({ invoice: { amounts, currency } }: { invoice: Invoice }) {
  const texts = useTexts();
  const { locale } = useLocale();
  if (amounts === null) return null;
  const { sum, difference } = sumOf(amounts);
  const money = (amount: number) => formatMoney(amount, { locale, currency: currency ?? 'EUR' });
  return (
    <Alert title={texts.amountsWrong} isRegion>
      {texts.amountsSum(money(sum), money(amounts.ttc), money(Math.abs(difference)))}
    </Alert>
  );
}

/** Notes about related invoices: those that it replaces or credits. Possible duplicates have an alert of their own. */
function RelatedNotes({ invoice: { related, state, reasons } }: { invoice: Invoice }) {
  const texts = useTexts();
  const isDuplicate = state === 'manual_review' && reasons.includes('duplicate_suspected');
  const shown = related.filter(
    ({ relation }) => !isDuplicate || (relation !== 'duplicate' && relation !== 'same_number'),
  );
  if (shown.length === 0) return null;
  return (
    <ul className={styles['related']} aria-label={texts.related}>
      {shown.map(({ id, number, relation, ticket }) => (
        <li key={id}>
          <span className={styles['muted']}>{texts.relations[relation]}</span>{' '}
          <Link href={`/invoices/${id}`}>{number ?? texts.unnumbered}</Link>
          {ticket && <span className={styles['muted']}> · {ticket.number}</span>}
        </li>
      ))}
    </ul>
  );
}
