import type { Attempt, AttemptError, Outcome } from './delivery.ts';

/** What is wrong with an endpoint: nothing arrives since then, or it was disabled for that; and the failure that told so. */
export type Trouble = {
  status: 'failing' | 'disabled';
  since: Date;
  error: AttemptError | null;
  statusCode: number | null;
};

/** `disabled`: automatically; one that its company made inactive is `ok`. */
export const healthValues = ['ok', 'failing', 'disabled'] as const;

/** The attempts of one delivery that all failed; with the delays of the specification they take 36 minutes. */
export const failingAfter = 4;

/** True where a delivery after `tries` attempts shows that its endpoint may be failing. */
export function showsFailure({ status }: Outcome, tries: number): boolean {
  return status === 'exhausted' || (status === 'failed' && tries >= failingAfter);
}

export function troubleOf(status: Trouble['status'], since: Date, { error, statusCode }: Attempt): Trouble {
  return { status, since, error, statusCode };
}

const words: Record<AttemptError, string> = {
  address_refused: 'the host name leads to an address that is not public',
  dns_failed: 'the host name could not be resolved',
  connection_failed: 'no connection could be made, or it ended without an answer',
  tls_failed: 'the TLS connection was refused: is the certificate valid for the host name?',
  timeout: 'the answer did not come whole in time',
  response_incomplete: 'the answer was cut short',
  response_invalid: 'the answer was not valid HTTP',
  redirect_refused: 'the receiver answered with a redirect, which is not followed',
  status_not_2xx: 'the receiver answered with a status that is no success',
  secret_unreadable: 'nothing was sent, because we could not read the secret of the endpoint: the fault is ours',
};

/** The failure as a sentence for people. It names nothing that the receiver sent but its status. */
export function inWords({ error, statusCode }: Pick<Trouble, 'error' | 'statusCode'>): string {
  const said = error === null ? 'the last attempts failed' : words[error];
  return statusCode === null ? said : `${said} (status ${statusCode})`;
}

/** The part of the endpoint's view that tells whether events arrive (beside the fields of spec section 2.6). */
export function healthView({ trouble, disabledReason }: { trouble?: Trouble; disabledReason: string | null }) {
  if (trouble) return { health: trouble.status, healthSince: trouble.since.toISOString(), lastError: inWords(trouble) };
  return { health: disabledReason === null ? 'ok' : 'disabled', healthSince: null, lastError: null };
}
