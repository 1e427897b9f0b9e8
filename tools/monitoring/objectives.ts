import type { Alert } from './alerts.ts';

/** A service level objective over 30 days, for callers, subscribers or accountants. */
export type Objective = {
  /** The name in recorded series and alerts. */
  name: string;
  alert: string;
  sentence: string;
  /** The share that must be good. */
  target: number;
  /** The share that was bad within a window, such as `5m`. */
  badShare(window: string): string;
};

const ratio = (part: string, whole: string) => `(${part}) / (${whole} > 0)`;

/** @param withinSeconds - a bucket of the histogram, a whole number. Prometheus 3 stores its `le` as "5.0", Prometheus 2 as "5". */
function lateShare(histogram: string, withinSeconds: number, window: string): string {
  const total = `sum(rate(${histogram}_count[${window}]))`;
  return ratio(`${total} - sum(rate(${histogram}_bucket{le=~"${withinSeconds}([.]0)?"}[${window}]))`, total);
}

export const objectives: Objective[] = [
  {
    name: 'api_availability',
    alert: 'ApiErrorBudgetBurning',
    sentence: '99.9 % of requests are answered without a server error (5xx)',
    target: 0.999,
    badShare: (window) =>
      ratio(
        `sum(rate(gateway_request_duration_seconds_count{status=~"5.."}[${window}])) or vector(0)`,
        `sum(rate(gateway_request_duration_seconds_count[${window}]))`,
      ),
  },
  {
    name: 'webhook_first_attempt',
    alert: 'WebhookErrorBudgetBurning',
    sentence: '99.9 % of webhooks are attempted within 5 s of their event',
    target: 0.999,
    badShare: (window) => lateShare('webhook_first_attempt_delay_seconds', 5, window),
  },
  {
    name: 'invoice_processing',
    alert: 'InvoiceErrorBudgetBurning',
    sentence: '99 % of invoices are on a ticket, or wait for a person, within a minute of their fetch',
    target: 0.99,
    badShare: (window) => lateShare('invoice_processing_duration_seconds', 60, window),
  },
];

/**
 * Burn rates after Google's SRE workbook, chapter 5: an alert fires if the budget of 30 days burns this many times too fast over the
 * long window, and still does over the short one.
 */
const burnRates = [
  { severity: 'page', long: '1h', short: '5m', factor: 14.4 },
  { severity: 'page', long: '6h', short: '30m', factor: 6 },
  { severity: 'ticket', long: '1d', short: '2h', factor: 3 },
  { severity: 'ticket', long: '3d', short: '6h', factor: 1 },
] as const;

export const windows = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'];

export const recorded = ({ name }: Objective, window: string) => `objective:${name}:bad_share_${window}`;

export function burnAlerts(): Alert[] {
  return objectives.flatMap((objective) =>
    (['page', 'ticket'] as const).map((severity) => ({
      name: objective.alert,
      severity,
      for: '2m',
      expr: burnRates
        .filter((one) => one.severity === severity)
        .map(({ long, short, factor }) => {
          const limit = Number((factor * (1 - objective.target)).toPrecision(6));
          return `(${recorded(objective, long)} > ${limit} and ${recorded(objective, short)} > ${limit})`;
        })
        .join(' or '),
      summary: `Missed at this pace: ${objective.sentence}`,
    })),
  );
}
