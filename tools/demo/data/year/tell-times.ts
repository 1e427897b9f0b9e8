import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { type Mark, toldAt } from './play-in-order.ts';

/** What is no history: its dates say when it may be forgotten or taken over, or it is counted from what is. */
const notHistory = ['idempotency_keys', 'leases', 'uploads', 'exports', 'statistics', 'counted_documents'];
const batchSize = 200;
const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/**
 * Gives all that services have stored while a story was played the times of the story, until a pass finds nothing more: events may
 * be under way. The platform's clock is that of its database, and no API takes a past moment for what happens now. So the story is
 * played through the APIs in its order, and then the clock is corrected: every date from the time of the play, in whatever document,
 * by one function that keeps their order.
 */
export async function tellTimes(databases: readonly Db[], marks: readonly Mark[], signal: AbortSignal): Promise<void> {
  for (let changed = true; changed; ) {
    changed = false;
    for (const database of databases)
      for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
        signal.throwIfAborted();
        if (notHistory.includes(name) || name.startsWith('system.')) continue;
        changed = (await tellCollection(database, name, marks)) || changed;
      }
    if (changed) await sleep(1_000, undefined, { signal });
  }
}

async function tellCollection(database: Db, name: string, marks: readonly Mark[]): Promise<boolean> {
  const collection = database.collection<Document>(name);
  let changed = false;
  let writes: Parameters<typeof collection.bulkWrite>[0][number][] = [];
  const flush = async () => {
    if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
    writes = [];
  };
  for await (const document of collection.find({})) {
    const { _id, ...fields } = document;
    const told = Object.entries(fields).filter(([field, value]) => {
      fields[field] = tellValue(value, marks);
      return fields[field] !== value;
    });
    if (told.length === 0) continue;
    changed = true;
    // What was changed meanwhile is found in the next pass.
    const same = fields['version'] === undefined ? { _id } : { _id, version: fields['version'] };
    const $set = Object.fromEntries(told.map(([field]) => [field, fields[field]]));
    writes.push({ updateOne: { filter: same, update: { $set } } });
    if (writes.length >= batchSize) await flush();
  }
  await flush();
  return changed;
}

/** The same value where nothing in it is from the time of the play. */
function tellValue(value: unknown, marks: readonly Mark[]): unknown {
  if (value instanceof Date) {
    const told = toldAt(marks, value.getTime());
    return told === null ? value : new Date(told);
  }
  if (typeof value === 'string') {
    const told = value.replace(moment, (text) => {
      const at = toldAt(marks, Date.parse(text));
      return at === null ? text : new Date(at).toISOString();
    });
    return told;
  }
  if (Array.isArray(value)) {
    const told = value.map((item) => tellValue(item, marks));
    return told.some((item, index) => item !== value[index]) ? told : value;
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, item, tellValue(item, marks)] as const);
  if (entries.every(([, item, told]) => item === told)) return value;
  return Object.fromEntries(entries.map(([key, , told]) => [key, told]));
}
