type FieldFault = { path: string; message: string };

/** An error response of an API, or no response at all (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfterS: number | null;
  readonly faults: FieldFault[];
  /** Of the request. */
  readonly url: string | null;

  constructor(message: string, fields: Omit<Partial<ApiError>, 'name' | 'message'> & { status: number; code: string }) {
    super(message);
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId ?? null;
    this.retryAfterS = fields.retryAfterS ?? null;
    this.faults = fields.faults ?? [];
    this.url = fields.url ?? null;
  }
}

/** For a request that has failed without an answer. @throws the reason itself if it was called off */
export function noAnswer(reason: unknown): never {
  if (reason instanceof DOMException && reason.name === 'AbortError') throw reason;
  throw new ApiError('no answer', { status: 0, code: 'no_answer' });
}

type Body = { error?: string; message?: string; code?: string; errors?: FieldFault[] };

/** The error of a response. Its body is one that the API documents, or anything if a proxy in between answered. */
export function errorOf(response: Pick<Response, 'status' | 'headers'> & Partial<Response>, body: unknown): ApiError {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Body;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(given.error ?? given.message ?? `HTTP ${response.status}`, {
    status: response.status,
    code: given.code ?? (given.errors ? 'validation' : 'unknown'),
    requestId: response.headers.get('x-request-id'),
    retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null,
    faults: given.errors ?? [],
    url: response.url ?? null,
  });
}

/** Validation errors for React Aria's `Form`: by the name of the field, which is its path in the body. */
export function fieldErrors(error: unknown): Record<string, string[]> {
  const byField: Record<string, string[]> = {};
  for (const { path, message } of error instanceof ApiError ? error.faults : []) {
    // An error of one item of a list is shown at the list.
    const fields = path.includes('.') ? [path, path.split('.')[0] as string] : [path];
    for (const field of fields) byField[field] = [...(byField[field] ?? []), withoutPath(message, path)];
  }
  return byField;
}

/** Removes the path: `name is required` is shown at the field `name`. */
function withoutPath(message: string, path: string): string {
  return message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
}

/**
 * Codes of refusals because something changed after it was shown. Other refusals with 409 have
 * reasons that existed before.
 */
const concurrentChanges = new Set([
  'changed_meanwhile',
  'invoice_state_forbidden',
  'invoice_status_forbidden',
  'precondition_failed',
  'quote_contractor_gone',
  'ticket_transition_forbidden',
]);

/** Whether something was refused because others changed it since it was shown. */
export function isConcurrentChange(error: unknown): boolean {
  return error instanceof ApiError && concurrentChanges.has(error.code);
}

/** Whether the API itself did not answer: the request may have been carried out all the same. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || (error.status >= 502 && error.status <= 504));
}

const longestWaitS = 60;

/** Whether the API takes the request again so soon that it is repeated automatically. Guesses of passwords are not. */
export function isSoonTaken({ status, code, retryAfterS }: ApiError): boolean {
  return status === 429 && code !== 'too_many_attempts' && (retryAfterS ?? 0) <= longestWaitS;
}

/** Whether a read may be repeated automatically: the API was overloaded or did not answer. */
export function isPassing(error: ApiError): boolean {
  return isUnanswered(error) || isSoonTaken(error);
}
