import { DateTime, Day, Money } from '../../../../components/data-display/values.tsx';
import { ProviderErrorText } from '../../../../components/provider-error-text.tsx';
import { useSession } from '../../../../session/session.ts';
import type { Invoice } from '../../rules/invoice.ts';
import { useTexts } from '../../texts.ts';
import styles from '../panel.module.css';

/** What the supplier was told of where the invoice stands, newest first, and what came of it. */
export function SupplierStatus({ invoice: { supplierStatus, currency } }: { invoice: Invoice }) {
  const texts = useTexts();
  const { user } = useSession();
  const { told, obstacle } = supplierStatus;
  if (told.length === 0 && obstacle === null) return null;
  return (
    <div>
      <h3 className={styles['title']}>{texts.supplierTold}</h3>
      {obstacle !== null && <p className={styles['small']}>{texts.obstacles[obstacle]}</p>}
      <ol className={styles['history']} aria-label={texts.supplierTold} reversed>
        {told.toReversed().map(({ status, result, reason, note, amount, date, failure, at, by }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may have one moment
          <li key={index}>
            <span className={styles['when']}>
              <DateTime value={at} />
            </span>
            <span>
              <span>{`${texts.statuses[status]}, ${texts.toldResults[result]}`}</span>
              <span className={styles['small']}>
                {[reason && texts.statusReasons[reason], note].filter(Boolean).join('. ')}
                {amount !== null && <Money amount={amount} currency={currency ?? 'EUR'} />}{' '}
                {date && <Day value={date} />}
                {by && ` · ${by.id === user.id ? texts.byYou : texts.byColleague}`}
              </span>
              {failure !== null && <ProviderErrorText said={failure} />}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** What the supplier, and the platforms between, said of the invoice, newest first. */
export function ReceivedStatuses({ invoice: { receivedStatuses } }: { invoice: Invoice }) {
  const texts = useTexts();
  if (receivedStatuses.length === 0) return null;
  return (
    <div>
      <h3 className={styles['title']}>{texts.supplierSaid}</h3>
      <ol className={styles['history']} aria-label={texts.supplierSaid} reversed>
        {receivedStatuses.toReversed().map(({ status, reasons, at }) => (
          <li key={`${status} ${at}`}>
            <span className={styles['when']}>
              <DateTime value={at} />
            </span>
            <span>
              <span>{texts.receivedStatuses[status] ?? texts.otherStatus(status)}</span>
              <span className={styles['small']}>
                {reasons.flatMap(({ code, text }) => text ?? code ?? []).join('. ')}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
