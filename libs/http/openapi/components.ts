import { idempotencyKeyPattern } from '../routing/idempotency-key.ts';
import type { Json } from './json-schema.ts';

const text = { type: 'string' };
const fieldError = { type: 'object', required: ['path', 'message'], properties: { path: text, message: text } };

/** The two shapes of error responses (docs/api.md). */
export const schemas: Record<string, Json> = {
  Error: {
    type: 'object',
    description: 'What went wrong: in words for people, as `code` for programs. Some errors carry more fields.',
    required: ['error', 'code'],
    properties: {
      error: text,
      code: text,
      doc_url: {
        type: 'string',
        format: 'uri',
        description: 'What the code means and what to do about it, for people',
      },
    },
  },
  ValidationError: {
    type: 'object',
    description: 'Every fault of query and body, at most 100.',
    required: ['message', 'errors'],
    properties: {
      message: { type: 'string', const: 'Validation error' },
      errors: { type: 'array', items: fieldError },
    },
  },
};

export const parameters: Record<string, Json> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a retry safe: for 24 hours, the same request with the same key is not carried out again, and gets the same answer with `Idempotent-Replayed: true`. A new one for each thing that you do, best a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: idempotencyKeyPattern.source },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` that was read: the change is made only if that is still the version, otherwise 412. Without it, the change is made to what there is.',
    schema: { type: 'string', example: '"7"' },
  },
};

const header = (description: string, schema: Json = text): Json => ({ description, schema });
const count = { type: 'integer', minimum: 0 };

export const headers: Record<string, Json> = {
  'X-Request-Id': header('Name it when you ask us about a request'),
  'Retry-After': header('Seconds to wait before the next try', count),
  'WWW-Authenticate': header('`Bearer`: the credential that is missing'),
  'Idempotent-Replayed': header('`true` if this is the answer to an earlier request with the same key', {
    type: 'string',
    const: 'true',
  }),
  Allow: header('With 405: the methods that the path has'),
  ETag: header('The version, for `If-Match` of a change. Names of other things in the answer may change without it'),
  Deprecation: header('Since when it is announced that the operation goes, as `@` and a Unix time (RFC 9745)'),
  Sunset: header('When the operation goes, as a date of HTTP (RFC 8594)'),
  'RateLimit-Limit': header('Requests a minute', count),
  'RateLimit-Remaining': header('What is left of them', count),
  'RateLimit-Reset': header('Seconds until all are free again', count),
};

type HeaderName = keyof typeof headers & string;

export function headerRefs(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const deprecationHeaders = ['Deprecation', 'Sunset'];
export const quotaHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const descriptions: Record<number, string> = {
  400: 'The request is malformed',
  401: 'There is no valid credential',
  403: 'The caller may not do this',
  404: 'There is no such thing, or the caller may not see it',
  408: 'The body was not whole in time',
  409: 'The state of the thing forbids it',
  412: 'It has another version than `If-Match` names',
  413: 'The body or file is too large',
  415: 'A body or file of this kind is not read',
  416: 'The file has no such range',
  422: 'Query, body or a rule of the business refuses it',
  429: 'Too many requests',
  500: 'An internal error',
  502: 'A service behind the gateway is not available: try again',
  503: 'Overloaded: try again',
  504: 'No answer in time: try again',
};

/** The statuses that have a `Retry-After`. */
const waitable = new Set([409, 429, 503]);

/** The response of a status with these codes. A 422 may also list the faults of query and body. */
export function errorResponse(status: number, codes: readonly string[], asksForToken: boolean): Json {
  const names = [
    'X-Request-Id',
    ...(waitable.has(status) ? ['Retry-After'] : []),
    ...(status === 429 ? quotaHeaders : []),
    ...(status === 401 && asksForToken ? ['WWW-Authenticate'] : []),
  ];
  const coded = {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { code: { type: 'string', enum: codes } } },
    ],
  };
  const forms = [
    ...(status === 422 ? [{ $ref: '#/components/schemas/ValidationError' }] : []),
    ...(codes.length > 0 ? [coded] : []),
  ];
  const named = codes.map((code) => `\`${code}\``).join(', ');
  return {
    description: named === '' ? descriptions[status] : `${descriptions[status]}: ${named}`,
    headers: headerRefs(names),
    content: { 'application/json': { schema: forms.length === 1 ? forms[0] : { anyOf: forms } } },
  };
}

/** Errors that every operation may answer besides its own. */
export const commonErrors: Record<number, string[]> = {
  429: ['rate_limited', 'concurrency_limited'],
  500: ['internal_error'],
  502: ['service_unavailable'],
  503: ['overloaded'],
  504: ['service_timeout'],
};

/** Of requests that are refused before it is known which operation they are for. */
const strayErrors = ['400 malformed_request', '404 unknown_host', '405 method_not_allowed', '431 headers_too_large'];

/** For statuses that an operation does not list. */
export const anyError: Json = {
  description: `Any other error: ${strayErrors.map((error) => `\`${error}\``).join(', ')}`,
  headers: headerRefs(['X-Request-Id', 'Allow']),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};
