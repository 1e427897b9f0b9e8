/** Why an attempt failed. It never names what the host name resolved to. */
export type AttemptError =
  | 'address_refused'
  | 'dns_failed'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'
  | 'response_incomplete'
  | 'response_invalid'
  | 'redirect_refused'
  | 'status_not_2xx'
  | FaultOfOurs;

/**
 * Nothing was sent, by a fault of ours: no key of CREDENTIALS_KEYS opens the secret, or our forward
 * proxy failed. Such an error disables no endpoint.
 */
type FaultOfOurs = 'secret_unreadable' | 'proxy_failed';

/** One POST to a receiver. `responseBody` is its first 1 KB, null if no answer came; `error` is null for a success. */
export type Attempt = {
  at: Date;
  statusCode: number | null;
  durationMs: number;
  error: AttemptError | null;
  responseBody: string | null;
};

export function isFaultOfOurs(error: AttemptError | null): boolean {
  return error === 'secret_unreadable' || error === 'proxy_failed';
}

/** Why a status is no success; null for 2xx. */
export function statusError(statusCode: number): AttemptError | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  return statusCode >= 300 && statusCode < 400 ? 'redirect_refused' : 'status_not_2xx';
}

const descriptions: Record<AttemptError, string> = {
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
  proxy_failed: 'nothing was sent, because our way to the internet was closed: the fault is ours',
};

export const attemptErrors = Object.keys(descriptions);

/** The failure as a sentence for people. Of what the receiver sent it names the status alone. */
export function describeError({ error, statusCode }: Pick<Attempt, 'error' | 'statusCode'>): string {
  const description = error === null ? 'the last attempts failed' : descriptions[error];
  return statusCode === null ? description : `${description} (status ${statusCode})`;
}
