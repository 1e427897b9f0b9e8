import type { Middleware } from 'openapi-fetch';

/** Embeddings, overrides and isolates of Unicode: `invoice` + U+202E + `gpj.exe` is shown as `invoiceexe.jpg`. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;
/** The same as JSON writes it in ASCII. */
const escaped = /\\u(?:202[a-e]|206[6-9])/i;
/** What is shown and copied as it was sent: deliveries of webhooks, and what receivers answered. */
const asSent = new Set(['body', 'responseBody']);

/**
 * No text of others turns around what is shown, or seems to be another one. Taken out here, where answers come in: any place of a page may show a
 * name. `asEscapes` is for what has to be shown as it is.
 */
export const withoutTurnedText: Middleware = {
  async onResponse({ response }) {
    if (!response.headers.get('content-type')?.includes('json')) return;
    const text = await response.clone().text();
    if (text.search(turning) < 0 && text.search(escaped) < 0) return;
    const { status, statusText } = response;
    const headers = new Headers(response.headers);
    // It says how long the text was.
    headers.delete('content-length');
    return new Response(JSON.stringify(straight(text)), { status, statusText, headers });
  },
};

function straight(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) =>
    typeof value === 'string' && !asSent.has(key) ? value.replace(turning, '') : value,
  );
}

/** With each such character as its escape, which JSON reads as the character itself. */
export function asEscapes(text: string): string {
  return text.replace(turning, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}
