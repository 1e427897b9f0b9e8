import { Fragment } from 'react';
import { DateTime } from '../../../components/data-display/values.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { useSession } from '../../../session/session.ts';
import { invoiceStates } from '../../../words/status-words.ts';
import type { Invoice } from '../rules/invoice.ts';
import { useTexts } from '../texts.ts';
import styles from './panel.module.css';
import { ReasonText } from './reason-text.tsx';

/** The state changes of the invoice, newest first. */
export function History({ invoice: { history } }: { invoice: Invoice }) {
  const texts = useTexts();
  const { language } = useLocale();
  const { user } = useSession();
  return (
    <div>
      <h3 className={styles['title']}>{texts.history}</h3>
      <ol className={styles['history']} aria-label={texts.history} reversed>
        {history.toReversed().map(({ at, to, reasonCodes, by }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two moves may have one moment
          <li key={index}>
            <span className={styles['when']}>
              <DateTime value={at} />
            </span>
            <span>
              <span>{invoiceStates[to][language]}</span>
              <span className={styles['small']}>
                {reasonCodes.map((reason, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two may have one code
                  <Fragment key={place}>
                    {place > 0 && ' · '}
                    <ReasonText reason={reason} />
                  </Fragment>
                ))}
                {by && reasonCodes.length > 0 && ' · '}
                {by && (by.id === user.id ? texts.byYou : texts.byColleague)}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
