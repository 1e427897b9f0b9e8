import { createHash } from 'node:crypto';
import type { Mail } from '@app/runtime/mail';
import { describeError } from '../attempt.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Alert, HealthIssue } from '../endpoints/endpoint-health.ts';

/** An endpoint whose company is due for an alert. */
export type AlertedEndpoint = Pick<Endpoint, 'id' | 'companyId' | 'name' | 'url'> & {
  healthIssue: HealthIssue;
  alert: Alert;
};

/** After this time an alert is out of date: the mail server was down, or e-mail was off. */
const expiresAfterMs = 24 * 3_600_000;
const alertRetryDelaysMs = [60_000, 300_000, 900_000, 3_600_000];

/** When an alert that could not be sent is retried; null if it would have expired by then. */
export function alertRetryAt({ at, tries }: Alert, now: Date): Date | null {
  const delayMs = alertRetryDelaysMs[Math.min(tries, alertRetryDelaysMs.length - 1)] ?? 0;
  const next = new Date(now.getTime() + delayMs);
  return next.getTime() - at.getTime() > expiresAfterMs ? null : next;
}

export function isExpired({ at }: Alert, now: Date): boolean {
  return now.getTime() - at.getTime() > expiresAfterMs;
}

/**
 * One e-mail about all endpoints of a company that are due for an alert. It names the host of each and never the whole URL,
 * whose path may hold a secret of the receiver. The same alerts give the same id, so that a duplicate can be recognized.
 */
export function alertMail(endpoints: readonly AlertedEndpoint[], to: string[], docsUrl: string | null): Mail {
  const ids = endpoints.map(({ alert }) => alert.id).sort();
  const id = createHash('sha256').update(ids.join()).digest('hex').slice(0, 32);
  const [only] = endpoints;
  const subject =
    endpoints.length === 1 && only
      ? `Webhook endpoint "${only.name}" ${only.healthIssue.status === 'disabled' ? 'was disabled' : 'is failing'}`
      : `${endpoints.length} webhook endpoints need your attention`;
  const help = docsUrl === null ? [] : [`How webhooks are delivered, and the operations named here: ${docsUrl}`];
  const text = [...endpoints.map(paragraph), ...help, 'You receive this because you may manage webhooks.'].join('\n\n');
  return { id, to, subject, text: `${text}\n` };
}

function paragraph({ id, name, url, healthIssue }: AlertedEndpoint): string {
  const disabled = healthIssue.status === 'disabled';
  const since = healthIssue.since.toISOString();
  const next = disabled
    ? [
        'Nothing is sent to it any more; what happens is kept in its log.',
        'What to do: mend the receiver, send a test, set the endpoint active again, then recover what it missed.',
      ]
    : [
        'Deliveries are tried again on their schedule; if it goes on like this, the endpoint will be disabled.',
        'What to do: look at its delivery log, mend the receiver, send a test, then recover what it missed.',
      ];
  return [
    disabled
      ? `The webhook endpoint "${name}" was disabled on ${since}: too many deliveries in a row failed for good.`
      : `The webhook endpoint "${name}" is failing since ${since}: its events do not arrive.`,
    `Host: ${new URL(url).host}`,
    `Endpoint: ${id}`,
    `Last error: ${describeError(healthIssue)}.`,
    ...next,
  ].join('\n');
}
