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
