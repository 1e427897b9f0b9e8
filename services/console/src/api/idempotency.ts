import type { Middleware } from '@app/api-client';
import { errorOf } from './errors.ts';

type Sent = { key: string; at: number };

/** A repetition comes soon. What is sent again much later is meant to happen once more. */
const keptMs = 10 * 60_000;

/** POSTs of which it is not known whether they were carried out, by what they say. */
const unsettled = new Map<string, Sent>();
const prints = new Map<string, string>();

/**
 * A POST that got no answer, or a failure, may have been carried out all the same. When the user sends the same once more it goes with the same
 * `Idempotency-Key`, so that it happens once; so do two at once.
 */
export const repeatedOnce: Middleware = {
  async onRequest({ request, id }) {
    if (request.method !== 'POST') return;
    const now = Date.now();
    for (const [print, { at }] of unsettled) if (now - at > keptMs) unsettled.delete(print);
    const print = await printOf(request);
    const { key } = unsettled.get(print) ?? { key: crypto.randomUUID() };
    unsettled.set(print, { key, at: now });
    prints.set(id, print);
    request.headers.set('Idempotency-Key', key);
    return request;
  },
  async onResponse({ response, id }) {
    const print = prints.get(id);
    prints.delete(id);
    if (print !== undefined && (await isSettled(response))) unsettled.delete(print);
  },
  onError({ id }) {
    prints.delete(id);
  },
};

/** Done or refused: the next one is another one. */
async function isSettled(response: Response): Promise<boolean> {
  if (response.status !== 409) return response.status < 500;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return !isInProgress(errorOf(response, body));
}

/** The first of two is not answered yet. */
export function isInProgress({ code }: { code: string }): boolean {
  return code === 'idempotency_key_in_progress';
}

/** Two requests have the same if they ask for the same; of files, name and content count. */
async function printOf(request: Request): Promise<string> {
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
