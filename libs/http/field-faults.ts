import type { FieldError } from '@app/kernel';

/** Keys of one object, items of one list: no schema allows more. */
const mostEntries = 1_000;
/** Of the whole body: Joi looks at each, and may find a fault in each. */
const mostInAll = 20_000;
const mostLevels = 32;

/**
 * What is wrong with a value before any schema looks at it; every fault that Joi finds costs time and memory, so that a body
 * of 1 MB could cost the better part of a second:
 * - the first object, list or depth that is beyond what any schema allows, alone;
 * - else each own `__proto__`: Joi copies objects key by key, by which it becomes the copy's prototype, unknown to nobody,
 *   and read like fields that were sent.
 * Without recursion: what is sent may be nested as deep as its length allows.
 */
export function findShapeFaults(value: unknown): { excess: FieldError | null; prototypes: FieldError[] } {
  const prototypes: FieldError[] = [];
  const left: { path: string[]; inner: unknown }[] = [{ path: [], inner: value }];
  let inAll = 0;
  for (let next = left.pop(); next; next = left.pop()) {
    const { path, inner } = next;
    // A query has no prototype, so that Joi sees `__proto__` as any other key of it.
    if (typeof inner !== 'object' || inner === null || Object.getPrototypeOf(inner) === null) continue;
    if (path.length > mostLevels) return excess(path.slice(0, 1), `is nested deeper than ${mostLevels} levels`);
    const keys = Object.keys(inner);
    if (keys.length > mostEntries) {
      return excess(path, `has more than ${mostEntries} ${Array.isArray(inner) ? 'items' : 'keys'}`);
    }
    inAll += keys.length;
    if (inAll > mostInAll) return excess([], `has more than ${mostInAll} keys and items in all`);
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

const mostTold = 100;
const mostPathLength = 200;
const mostMessageLength = 500;
/** With what stands around them an answer has 32 KB at most. */
const mostToldBytes = 31 * 1024;

/** What of all faults is answered: the first 100; of more, the last entry says how many are not among them. */
export function limitFaults(faults: FieldError[]): FieldError[] {
  const told: FieldError[] = [];
  let bytes = 0;
  for (const { path, message } of faults) {
    const fault = { path: path.slice(0, mostPathLength), message: message.slice(0, mostMessageLength) };
    bytes += Buffer.byteLength(JSON.stringify(fault)) + 1;
    if (bytes > mostToldBytes || (told.length === mostTold - 1 && faults.length > mostTold)) break;
    told.push(fault);
  }
  const untold = faults.length - told.length;
  if (untold > 0) told.push({ path: '', message: `${untold} more faults are not named here` });
  return told;
}
