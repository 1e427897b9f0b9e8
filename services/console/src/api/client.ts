import { ticketApi, tsApi } from '@app/api-client';
import { withoutBidiControls } from './bidi-controls.ts';
import { errorOf, isSoonTaken, noAnswer } from './errors.ts';
import { repeatedOnce } from './idempotency.ts';
import { setRetryAt } from './retry-at.ts';

const own = { baseUrl: location.origin, middleware: [repeatedOnce, withoutBidiControls] };

/**
 * Clients of both APIs on the console's own host, by the session's cookie: JavaScript never sees a token. `await
 * call(ts.GET('/invoices/{id}', { params: { path: { id } } }))`
 */
export const ts = tsApi(own);
export const tickets = ticketApi(own);

export type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The data of an answer. @throws ApiError for any refusal, and if there is no answer */
export async function call<T>(request: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await request.catch(noAnswer);
  // 204 has no data.
  if (response.ok) return data as NonNullable<T>;
  const failure = errorOf(response, error);
  if (isSoonTaken(failure)) setRetryAt(Date.now() + (failure.retryAfterS ?? 1) * 1000);
  throw failure;
}

/** The data of an answer with its version, for `If-Match` of a later change. @throws ApiError as `call` */
export async function callVersioned<T>(request: Promise<Answer<T>>) {
  const data = await call(request);
  return { data, version: (await request).response.headers.get('etag') ?? '' };
}
