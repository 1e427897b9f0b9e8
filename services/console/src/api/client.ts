import type { SecondApi, TicketApi } from '@app/api-client';
import createClient from 'openapi-fetch';
import { waitUntil } from '../session/waiting.ts';
import { withoutBidiControls } from './bidi-controls.ts';
import { ApiError, errorOf } from './errors.ts';
import { repeatedOnce } from './repeats.ts';

/**
 * Clients of both APIs on the console's own host, by the session's cookie: JavaScript never sees a token. `await
 * call(second.GET('/invoices/{id}', { params: { path: { id } } }))`
 */
export const second: SecondApi = createClient({ baseUrl: location.origin, bodySerializer });
export const tickets: TicketApi = createClient({ baseUrl: location.origin, bodySerializer });
for (const api of [second, tickets]) api.use(repeatedOnce, withoutBidiControls);

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The data of an answer. @throws ApiError for any refusal, and if there is no answer */
export async function call<T>(request: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await request.catch((reason: unknown) => {
    if (reason instanceof DOMException && reason.name === 'AbortError') throw reason;
    throw new ApiError('no answer', { status: 0, code: 'no_answer' });
  });
  // 204 has no data.
  if (response.ok) return data as NonNullable<T>;
  const failure = errorOf(response, error);
  if (failure.status === 429) waitUntil(Date.now() + (failure.retryAfterS ?? 1) * 1000);
  throw failure;
}

/** A body with a file is sent as a form, any other as JSON. */
function bodySerializer(body: unknown): string | FormData {
  const entries = Object.entries(body ?? {});
  if (!entries.some(([, value]) => value instanceof Blob)) return JSON.stringify(body);
  const form = new FormData();
  for (const [field, value] of entries) {
    if (value !== undefined) form.append(field, value instanceof Blob ? value : String(value));
  }
  return form;
}
