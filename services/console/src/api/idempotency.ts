import type { Middleware } from '@app/api-client';
import { errorOf } from './errors.ts';

type Sent = { key: string; at: number };

/** A repetition follows soon. The same request much later is meant as a new one. */
const keptMs = 10 * 60_000;

/** POSTs that may or may not have been carried out, by the hash of their content. */
const unsettled = new Map<string, Sent>();
const fingerprints = new Map<string, string>();

/**
 * A POST that got no answer, or a failure, may have been carried out all the same. If the user
 * sends the same again, it has the same `Idempotency-Key`, so that it is carried out once. The same
 * holds for two identical requests at once.
 */
export const repeatedOnce: Middleware = {
  async onRequest({ request, id }) {
    if (request.method !== 'POST') return;
    const now = Date.now();
    for (const [fingerprint, { at }] of unsettled) if (now - at > keptMs) unsettled.delete(fingerprint);
    const fingerprint = await fingerprintOf(request);
    const { key } = unsettled.get(fingerprint) ?? { key: crypto.randomUUID() };
    unsettled.set(fingerprint, { key, at: now });
    fingerprints.set(id, fingerprint);
    request.headers.set('Idempotency-Key', key);
    return request;
  },
  async onResponse({ response, id }) {
    const fingerprint = fingerprints.get(id);
    fingerprints.delete(id);
    if (fingerprint !== undefined && (await isSettled(response))) unsettled.delete(fingerprint);
  },
  onError({ id }) {
    fingerprints.delete(id);
  },
};

/** Whether the request was carried out or refused: then the next one is a new request. */
async function isSettled(response: Response): Promise<boolean> {
  if (response.status !== 409) return response.status < 500;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return !isInProgress(errorOf(response, body));
}

/** Whether the first of two requests with one key is still in progress. */
export function isInProgress({ code }: { code: string }): boolean {
  return code === 'idempotency_key_in_progress';
}

/**
 * A hash of what the request asks for: requests with the same hash have the same key. Of files,
 * name and content count.
 */
async function fingerprintOf(request: Request): Promise<string> {
  const isForm = request.headers.get('content-type')?.startsWith('multipart/form-data') ?? false;
  const asked = isForm ? await partsOf(await request.clone().formData()) : await request.clone().text();
  return hashOf(new TextEncoder().encode(`${request.url}\n${asked}`));
}

async function partsOf(form: FormData): Promise<string> {
  const parts = [...form].map(async ([field, value]) => [
    field,
    ...(typeof value === 'string' ? [value] : [value.name, await hashOf(await value.arrayBuffer())]),
  ]);
  return JSON.stringify(await Promise.all(parts));
}

async function hashOf(bytes: BufferSource): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
