import { Button } from '../../../components/button.tsx';
import { classes } from '../../../components/classes.ts';
import { Ago, DateTime } from '../../../components/data-display/values.tsx';
import { formatNumber } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';
import { attemptWords } from './attempt-words.ts';
import type { useDelivery } from './deliveries.ts';

export type DeliveryWithBody = NonNullable<ReturnType<typeof useDelivery>['data']>;
type Props = { delivery: DeliveryWithBody; chosen: number; onChoose: (attempt: number) => void };

/** The attempts, oldest first, and when the next is due. The chosen one is shown beside the list. */
export function AttemptList({ delivery, chosen, onChoose }: Props) {
  const texts = useTexts();
  const { locale } = useLocale();
  return (
    <section className={styles['section']}>
      <h2>{texts.attempts}</h2>
      {delivery.attempts.length === 0 && <p className={styles['small']}>{texts.noAttempts}</p>}
      <ol className={styles['attempts']} aria-label={texts.attempts}>
        {delivery.attempts.map((attempt, n) => (
          <li key={`${attempt.at}`} className={classes(styles['attempt'], n === chosen && styles['chosen'])}>
            <DateTime value={attempt.at ?? ''} />
            <span>{attemptWords(attempt, texts)}</span>
            <span className={styles['small']}>{texts.inMs(formatNumber(attempt.durationMs ?? 0, locale))}</span>
            {n !== chosen && (
              <Button variant="quiet" onPress={() => onChoose(n)}>
                {texts.show}
              </Button>
            )}
          </li>
        ))}
        {delivery.nextAttemptAt && (
          <li className={classes(styles['attempt'], styles['toCome'])}>
            <span>{texts.toCome}</span>
            <Ago value={delivery.nextAttemptAt} past={texts.dueNow} />
          </li>
        )}
      </ol>
    </section>
  );
}
