import { formatNumber } from '../../../../i18n/format.ts';
import { useLocale } from '../../../../i18n/locale.tsx';
import { useLastDay } from '../../endpoints.ts';
import { useTexts } from '../../texts.ts';
import styles from '../../webhooks.module.css';

type Hour = NonNullable<ReturnType<typeof useLastDay>['data']>[number];

const height = 20;
const step = 6;

/** Attempts of the last 24 hours as a bar chart by hour, failed ones on top. Nothing until it is loaded. */
export function LastDay({ endpointId }: { endpointId: string }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const { data: hours } = useLastDay(endpointId);
  if (!hours) return <svg width={step * 24} height={height} aria-hidden="true" />;
  const failedIn = (hour: Hour) => hour.failed + hour.exhausted;
  const most = Math.max(1, ...hours.map((hour) => hour.succeeded + failedIn(hour)));
  const sum = (of: (hour: Hour) => number) =>
    formatNumber(
      hours.reduce((all, hour) => all + of(hour), 0),
      locale,
    );
  const label = texts.chart(
    sum((hour) => hour.succeeded),
    sum(failedIn),
  );
  return (
    <svg width={step * hours.length} height={height} role="img" aria-label={label} className={styles['bars']}>
      {hours.map((hour, n) => {
        const good = Math.ceil((hour.succeeded / most) * height);
        const bad = Math.ceil((failedIn(hour) / most) * height);
        return (
          <g key={hour.at}>
            <rect x={n * step} y={height - 1} width={step - 2} height={1} className={styles['baseline']} />
            <rect x={n * step} y={height - good} width={step - 2} height={good} className={styles['good']} />
            <rect x={n * step} y={height - good - bad} width={step - 2} height={bad} className={styles['bad']} />
          </g>
        );
      })}
    </svg>
  );
}
