import type { en } from '../texts.en.ts';

type Texts = typeof en;
type Attempt = { statusCode?: number | null; error?: string | null };

/** The outcome of an attempt in words. */
export function attemptWords({ statusCode, error }: Attempt, texts: Texts): string {
  if (!error) return statusCode ? `${texts.succeeded} (${statusCode})` : texts.succeeded;
  if (error === 'status_not_2xx') return texts.notSuccess(statusCode ?? 0);
  return wordsOf(texts)[error] ?? error;
}

function wordsOf(texts: Texts): Record<string, string> {
  return {
    address_refused: texts.addressRefused,
    dns_failed: texts.dnsFailed,
    connection_failed: texts.connectionFailed,
    tls_failed: texts.tlsFailed,
    timeout: texts.timedOut,
    response_incomplete: texts.cutShort,
    response_invalid: texts.notHttp,
    redirect_refused: texts.redirected,
    secret_unreadable: texts.ours,
    proxy_failed: texts.ours,
  };
}

/**
 * Codes of the English sentences by which the API says why an endpoint fails: it gives no code
 * there.
 */
const codesOfSentences: Record<string, string> = {
  'the host name leads to an address that is not public': 'address_refused',
  'the host name could not be resolved': 'dns_failed',
  'no connection could be made, or it ended without an answer': 'connection_failed',
  'the TLS connection was refused: is the certificate valid for the host name?': 'tls_failed',
  'the answer did not come whole in time': 'timeout',
  'the answer was cut short': 'response_incomplete',
  'the answer was not valid HTTP': 'response_invalid',
  'the receiver answered with a redirect, which is not followed': 'redirect_refused',
  'the receiver answered with a status that is no success': 'status_not_2xx',
  'nothing was sent, because we could not read the secret of the endpoint: the fault is ours': 'secret_unreadable',
  'nothing was sent, because our way to the internet was closed: the fault is ours': 'proxy_failed',
};

/**
 * Why an endpoint fails, in the same words as for attempts; null for a sentence that is not known
 * here.
 */
export function lastErrorWords(lastError: string, texts: Texts): string | null {
  const [, sentence = '', status] = /^(.*?)(?: \(status (\d+)\))?$/.exec(lastError) ?? [];
  const error = codesOfSentences[sentence];
  return error === undefined ? null : attemptWords({ error, statusCode: status ? Number(status) : null }, texts);
}
