import { createHash } from 'node:crypto';
import type { Endpoint } from './endpoint.ts';
import { inWords, type Trouble } from './health.ts';

/** That the company has to be told of its endpoint's trouble: stored with the endpoint, in the write that made it true. */
export type Notice = { id: string; at: Date; dueAt: Date; tries: number };

/** An endpoint whose company is to be told. */
export type Noticed = Pick<Endpoint, 'id' | 'companyId' | 'name' | 'url'> & { trouble: Trouble; notice: Notice };

export type Mail = { id: string; to: string[]; subject: string; text: string };

/** Longer ago it helps nobody any more: the mail server was away, or e-mail was off. */
const tellWithinMs = 24 * 3_600_000;
const retryAfterMs = [60_000, 300_000, 900_000, 3_600_000];

/** When a notice that could not be sent is tried again, null where it is too old for that. */
export function noticeRetryAt({ at, tries }: Notice, now: Date): Date | null {
  const delayMs = retryAfterMs[Math.min(tries, retryAfterMs.length - 1)] ?? 0;
  const next = new Date(now.getTime() + delayMs);
  return next.getTime() - at.getTime() > tellWithinMs ? null : next;
}

export function isTooOld({ at }: Notice, now: Date): boolean {
  return now.getTime() - at.getTime() > tellWithinMs;
}

/**
 * One e-mail about all endpoints of a company that it has to be told of. Names the host of each, never its whole URL: the
 * path may hold a secret of the receiver. The same notices give the same id, so that one sent twice can be known.
 */
export function noticeMail(noticed: readonly Noticed[], to: string[], docsUrl: string | null): Mail {
  const ids = noticed.map(({ notice }) => notice.id).sort();
  const id = createHash('sha256').update(ids.join()).digest('hex').slice(0, 32);
  const [only] = noticed;
  const subject =
    noticed.length === 1 && only
      ? `Webhook endpoint "${only.name}" ${only.trouble.status === 'disabled' ? 'was disabled' : 'is failing'}`
      : `${noticed.length} webhook endpoints need your attention`;
  const help = docsUrl === null ? [] : [`How webhooks are delivered, and the operations named here: ${docsUrl}`];
  const text = [...noticed.map(paragraph), ...help, 'You receive this because you may manage webhooks.'].join('\n\n');
  return { id, to, subject, text: `${text}\n` };
}

function paragraph({ id, name, url, trouble }: Noticed): string {
  const disabled = trouble.status === 'disabled';
  const since = trouble.since.toISOString();
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
    `Last error: ${inWords(trouble)}.`,
    ...next,
  ].join('\n');
}
