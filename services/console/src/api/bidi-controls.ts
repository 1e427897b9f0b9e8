import type { Middleware } from '@app/api-client';

/**
 * Unicode's bidirectional controls (embeddings, overrides, isolates): `invoice` + U+202E +
 * `gpj.exe` is shown as `invoiceexe.jpg`.
 */
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g;
/** The same as JSON writes it in ASCII. */
const escaped = /\\u(?:202[a-e]|206[6-9])/i;
/** What is shown and copied as it was sent: deliveries of webhooks, and what receivers answered. */
const asSent = new Set(['body', 'responseBody']);

/**
 * Removes these characters from every answer, so that no text of another party reorders what is
 * shown, or poses as another text. Done here and not where texts are shown, since a name may be
 * shown anywhere. `asEscapes` is for what is shown as it was sent.
 */
export const withoutBidiControls: Middleware = {
  async onResponse({ response }) {
    if (!response.headers.get('content-type')?.includes('json')) return;
    const text = await response.clone().text();
    if (text.search(bidiControls) < 0 && text.search(escaped) < 0) return;
    const { status, statusText } = response;
    const headers = new Headers(response.headers);
    // The header would be wrong: the body is shorter.
    headers.delete('content-length');
    return new Response(JSON.stringify(withoutControls(text)), { status, statusText, headers });
  },
};

function withoutControls(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) =>
    typeof value === 'string' && !asSent.has(key) ? value.replace(bidiControls, '') : value,
  );
}

/** Replaces each such character by its JSON escape, so that the text still means the same. */
export function asEscapes(text: string): string {
  return text.replace(bidiControls, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}
