import { formatMoney } from '../../../../i18n/format.ts';
import { useLocale } from '../../../../i18n/locale.tsx';
import type { Invoice } from '../../rules/invoice.ts';
import { useTexts } from '../../texts.ts';
import styles from '../panel.module.css';
import { Alert } from './alert.tsx';

type Value = Invoice['changes'][number]['before'];

/** What the provider changed once the invoice was on its ticket. */
export function ChangesAlert({ invoice: { changes, currency } }: { invoice: Invoice }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const show = (value: Value) => {
    if (value === null || value === '') return texts.noValue;
    return typeof value === 'number' ? formatMoney(value, { locale, currency: currency ?? 'EUR' }) : value;
  };
  return (
    <Alert title={texts.changed} isRegion>
      <p>{texts.changedWhy}</p>
      {changes.length > 0 && (
        <table className={styles['compare']} aria-label={texts.changed}>
          <thead>
            <tr>
              <td />
              <th scope="col">{texts.before}</th>
              <th scope="col">{texts.after}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">{texts.fields[field] ?? field}</th>
                <td>{show(before)}</td>
                <td className={styles['differs']}>{show(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Alert>
  );
}
