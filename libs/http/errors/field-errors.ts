import type { FieldError } from '@app/kernel';

/** Keys of one object, or items of one list: no schema allows more. */
const maxEntries = 1_000;
/** Keys and items of the whole body. */
const maxTotal = 20_000;
const maxDepth = 32;

/**
 * Checks the shape of a value before Joi validates it, since every error that Joi finds costs time and memory: a body of 1 MB could
 * take most of a second. Finds
 * - `excess`: the first object, list or depth beyond what any schema allows;
 * - `prototypes`: each own key `__proto__`. Joi copies objects key by key, which makes it the prototype of the copy, so its fields
 *   would be read as if they had been sent.
 * Iterative, since the nesting may be as deep as the body is long.
 */
export function checkShape(value: unknown): { excess: FieldError | null; prototypes: FieldError[] } {
  const prototypes: FieldError[] = [];
  const left: { path: string[]; inner: unknown }[] = [{ path: [], inner: value }];
  let total = 0;
  for (let next = left.pop(); next; next = left.pop()) {
    const { path, inner } = next;
    // A parsed query has no prototype, so Joi sees `__proto__` as an ordinary unknown key.
    if (typeof inner !== 'object' || inner === null || Object.getPrototypeOf(inner) === null) continue;
    if (path.length > maxDepth) return excess(path.slice(0, 1), `is nested deeper than ${maxDepth} levels`);
    const keys = Object.keys(inner);
    if (keys.length > maxEntries) {
      return excess(path, `has more than ${maxEntries} ${Array.isArray(inner) ? 'items' : 'keys'}`);
    }
    total += keys.length;
    if (total > maxTotal) return excess([], `has more than ${maxTotal} keys and items in all`);
    for (const key of keys) {
      const at = [...path, key];
      const entry = (inner as Record<string, unknown>)[key];
      if (key === '__proto__') prototypes.push({ path: at.join('.'), message: `${at.join('.')} is not allowed` });
      else if (typeof entry === 'object') left.push({ path: at, inner: entry });
    }
  }
  return { excess: null, prototypes };
}

function excess(path: string[], what: string) {
  const at = path.join('.');
  return { excess: { path: at, message: `${at || 'the body'} ${what}` }, prototypes: [] };
}

const maxReported = 100;
const maxPathLength = 200;
const maxMessageLength = 500;
/** So that an error response has at most 32 KB. */
const maxReportedBytes = 31 * 1024;

/** The errors to report: at most 100 entries and 31 KB. If some are left out, the last entry says how many. */
export function limitFieldErrors(errors: FieldError[]): FieldError[] {
  const reported: FieldError[] = [];
  let bytes = 0;
  for (const { path, message } of errors) {
    const error = { path: path.slice(0, maxPathLength), message: message.slice(0, maxMessageLength) };
    bytes += Buffer.byteLength(JSON.stringify(error)) + 1;
    if (bytes > maxReportedBytes || (reported.length === maxReported - 1 && errors.length > maxReported)) break;
    reported.push(error);
  }
  const left = errors.length - reported.length;
  if (left > 0) reported.push({ path: '', message: `${left} more faults are not named here` });
  return reported;
}
