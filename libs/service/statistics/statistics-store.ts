import { collectionOf, documentSchema, inTime, type Logger, modelOf, pageById } from '@app/runtime';
import { createPoller } from '@app/work-queue';
import type { ClientSession, Connection, mongo } from 'mongoose';
import {
  addEntries,
  type CountedIn,
  type Entry,
  isCountedFor,
  isCountedIn,
  isZero,
  keyOf,
  parseKey,
  type RowKey,
  type Sums,
} from './entry.ts';

/** A document that figures are made of. Each write of it, or of what it is counted with, sets `uncounted`: the companies whose figures may change. */
export type Countable = { _id: string; uncounted?: string[] };

/** The documents that are counted. */
export type StatisticsSource<Document extends Countable> = {
  collection: mongo.Collection<Document>;
  /** The fields that `entriesOf` needs. */
  projection: object;
  /** `uncounted` as a MongoDB expression on the document. */
  companies: unknown;
  /** What the documents add to figures, in their order; within the transaction that counts them. */
  entriesOf(documents: Document[], session: ClientSession): Promise<Entry[][]>;
  /** Sets `uncounted` of further documents, whose entries depend on these: they add something else than before. */
  alsoCount?(changed: Document[], session: ClientSession): Promise<void>;
};

/** The index that each source declares on `uncounted`. */
export const uncountedIndex = {
  fields: { uncounted: 1 },
  options: { name: 'uncounted', partialFilterExpression: { uncounted: { $gt: '' } } },
} as const;

export type Row = RowKey & Sums;
/** `from` and `to`: days or months, as the figure keeps its groups; `to` is not included. `places` null: all together. */
type RowRange = Pick<RowKey, 'company' | 'figure' | 'dimension'> & {
  from: string;
  to: string;
  places: readonly string[] | null;
};

export type Statistics = ReturnType<typeof createStatistics>;

export const pendingAtMost = 1_000;
const batchSize = 100;
const queryTimeoutMs = 20_000;

/** `_id`: the generation and the key. `m`: how many entries lasted so many minutes. */
type StoredRow = { _id: string; n: number; ht?: number; ttc?: number; m?: Record<string, number> };
/** What a document counts for now: its entries as JSON, which parses faster than BSON, and the keys by which it is found. */
type CountedDocument = { _id: string; generation: number; entries: string; keys: string[] };

const rowSchema = documentSchema<StoredRow>('statistics');
const countedSchema = documentSchema<CountedDocument>('counted_documents');
countedSchema.index({ keys: 1 }, { name: 'keys' });

function countedKey({ company, figure, day, split }: Pick<Entry, 'company' | 'figure' | 'day' | 'split'>): string {
  return [company, figure, day, ...split].join('|');
}

/** By the driver: every change of a document is counted here. */
function collections(connection: Connection) {
  return {
    rows: collectionOf(modelOf(connection, 'StatisticsRow', rowSchema)),
    counted: collectionOf(modelOf(connection, 'CountedDocument', countedSchema)),
  };
}

type Rows = mongo.Collection<StoredRow>;

type Deps<Document extends Countable> = {
  connection: Connection;
  source: StatisticsSource<Document>;
  logger: Logger;
  everyMs?: number;
};

/**
 * Keeps figures in rows, so that a question reads rows instead of documents. A transaction adds to the rows by how much the entries of
 * changed documents differ from what they were counted for; it fails if one of them changes meanwhile, and runs again. So a row
 * is the sum over the documents, whatever is repeated, late or killed.
 */
export function createStatistics<Document extends Countable>(deps: Deps<Document>) {
  const { connection, source, logger, everyMs = 1_000 } = deps;
  const countSome = createCounter(connection, source, logger);

  /** Counts what was written since. @returns how many documents */
  async function count(): Promise<number> {
    for (let total = 0; ; ) {
      const found = await countSome();
      total += found;
      if (found === 0) return total;
    }
  }

  const onError = (error: unknown) => logger.warn('documents could not be counted', { error });
  return {
    ...createPoller({ run: async () => (await countSome()) > 0, everyMs, jittered: true, onError }),
    ...rowReader(collections(connection).rows),
    ...documentReader(connection),
    count,
    /** How many documents that concern this company are not counted yet; at most `pendingAtMost`. */
    pending: (company: string): Promise<number> => {
      const filter = { uncounted: company } as unknown as mongo.Filter<Document>;
      return source.collection.countDocuments(filter, { ...waiting, limit: pendingAtMost });
    },
  };
}

const waiting = { hint: 'uncounted', maxTimeMS: queryTimeoutMs } as const;

/** Counts some of the documents that wait for it. @returns how many */
function createCounter<Document extends Countable>(
  connection: Connection,
  source: StatisticsSource<Document>,
  logger: Logger,
) {
  const { rows, counted } = collections(connection);

  const uncounted = { uncounted: { $gt: '' } } as mongo.Filter<Document>;

  async function countBatch(filter: mongo.Filter<Document>, limit: number, session: ClientSession): Promise<number> {
    const options = { ...waiting, session, projection: source.projection, limit };
    const documents = (await source.collection.find(filter, options).toArray()) as unknown as Document[];
    if (documents.length === 0) return 0;
    const ids = documents.map(({ _id }) => _id);
    const generation = await generationOf(rows, session);
    const former = await counted.find({ _id: { $in: ids } }, { session }).toArray();
    const before = new Map(former.filter((one) => one.generation === generation).map((one) => [one._id, one.entries]));
    const entries = await source.entriesOf(documents, session);
    const changes = new Map<string, Sums>();
    const changed: CountedDocument[] = [];
    for (const [index, _id] of ids.entries()) {
      const after = JSON.stringify(entries[index] ?? []);
      if (after === before.get(_id)) continue;
      changed.push({ _id, generation, entries: after, keys: [...new Set(entries[index]?.map(countedKey))] });
      addEntries(changes, JSON.parse(before.get(_id) ?? '[]') as Entry[], -1);
      addEntries(changes, entries[index] ?? [], 1);
    }
    if (changed.length > 0) {
      const replaced = changed.map(({ _id, ...replacement }) => ({
        replaceOne: { filter: { _id }, replacement, upsert: true },
      }));
      await counted.bulkWrite(replaced, { session, ordered: false });
    }
    await addToRows(rows, changes, generation, session);
    const done = { _id: { $in: ids } } as mongo.Filter<Document>;
    // Last: writers of these documents wait until the transaction ends.
    await source.collection.updateMany(done, { $unset: { uncounted: '' } } as never, { session });
    const differing = new Set(changed.map(({ _id }) => _id));
    await source.alsoCount?.(
      documents.filter(({ _id }) => differing.has(_id)),
      session,
    );
    return documents.length;
  }

  async function countSome(): Promise<number> {
    // Outside of a transaction, which costs more than the question.
    if ((await source.collection.countDocuments(uncounted, { ...waiting, limit: 1 })) === 0) return 0;
    let attempts = 0;
    try {
      // Fewer documents with each attempt: one of a hundred busy documents has changed again soon.
      const batch = (session: ClientSession) => countBatch(uncounted, Math.max(1, batchSize >> attempts++), session);
      return (await connection.transaction(batch)) as unknown as number;
    } catch (error) {
      logger.warn('documents are counted one by one, since they could not be together', { error });
      return countEach();
    }
  }

  /** So that one that cannot be counted keeps no other from it. */
  async function countEach(): Promise<number> {
    const options = { ...waiting, projection: { _id: 1 }, limit: batchSize };
    let total = 0;
    for (const { _id } of await source.collection.find(uncounted, options).toArray()) {
      const filter = { ...uncounted, _id } as mongo.Filter<Document>;
      try {
        total += (await connection.transaction((session) => countBatch(filter, 1, session))) as unknown as number;
      } catch (error) {
        logger.warn('a document could not be counted', { id: _id, error });
      }
    }
    return total;
  }

  return countSome;
}

async function addToRows(
  rows: Rows,
  changes: Map<string, Sums>,
  generation: number,
  session: ClientSession,
): Promise<void> {
  const added = [...changes].filter(([, sums]) => !isZero(sums));
  if (added.length === 0) return;
  const updates = added.map(([key, { n, ht, ttc, minutes }]) => {
    const lasting = [...minutes].map(([length, count]) => [`m.${length}`, count]);
    const all = [['n', n], ['ht', ht], ['ttc', ttc], ...lasting].filter(([name, by]) => by !== 0 || name === 'n');
    const update = { $inc: Object.fromEntries(all) as Record<string, number> };
    return { updateOne: { filter: { _id: idOf(generation, key) }, update, upsert: true } };
  });
  await rows.bulkWrite(updates, { session, ordered: false });
  const touched = added.filter(([, { n }]) => n < 0).map(([key]) => idOf(generation, key));
  if (touched.length > 0) await rows.deleteMany({ _id: { $in: touched }, n: 0 }, { session });
}

function rowReader(rows: Rows) {
  return {
    /** The rows of a range, without `minutes`; of what is at several of the places once. */
    async rows({ from, to, places, ...of }: RowRange): Promise<Row[]> {
      const generation = await generationOf(rows);
      const startOf = (place: string, period: string) =>
        idOf(generation, keyOf({ ...of, place, period, group: '', also: [], split: [] }).slice(0, -2));
      const ranges = (places ?? ['']).map((place) => ({
        _id: { $gte: startOf(place, from), $lt: startOf(place, to) },
      }));
      // With a hint MongoDB plans thousands of ranges at once, and not one by one.
      const options = { projection: { m: 0 }, maxTimeMS: queryTimeoutMs, batchSize: 100_000, hint: '_id_' } as const;
      const found = await rows.find({ $or: ranges }, options).toArray();
      const seen = new Set(places);
      return found.flatMap(({ _id, n, ht = 0, ttc = 0 }) => {
        const key = parseKey(_id.slice(generationLength));
        return isCountedFor(seen, key) ? [{ ...key, n, ht, ttc, minutes: new Map() }] : [];
      });
    },
    /** The durations of rows, by the keys of `keyOf`. */
    async minutes(keys: string[]): Promise<Map<string, Sums['minutes']>> {
      const generation = await generationOf(rows);
      const filter = { _id: { $in: keys.map((key) => idOf(generation, key)) } };
      const found = await rows.find(filter, { projection: { m: 1 }, maxTimeMS: queryTimeoutMs }).toArray();
      return new Map(found.map(({ _id, m = {} }) => [_id.slice(generationLength), minutesIn(m)]));
    },
  };
}

function documentReader(connection: Connection) {
  const { rows, counted } = collections(connection);
  /**
   * The ids of the documents that count in a figure now, in no order, at most `limit`.
   * @throws AppError unprocessable `list_too_broad` if too many are to be looked through for the groups
   */
  async function documents(asked: CountedIn, limit: number): Promise<string[]> {
    const { company, figure, split, from = '', to = '~', of } = asked;
    const generation = await generationOf(rows);
    const start = (day: string) => countedKey({ company, figure, day, split: [] });
    const parts = ['', ...split].join('\\|');
    const keys = { $elemMatch: { $gte: start(from), $lt: start(to), $regex: `^([^|]*\\|){2}[^|]*${parts}(\\||$)` } };
    const options = { projection: of ? { entries: 1 } : { _id: 1 }, hint: 'keys', maxTimeMS: queryTimeoutMs } as const;
    // No index has the groups.
    const named = Object.entries(of ?? {}).map(([name, group]) => ({
      entries: { $regex: group || `"${name}":\\[\\]` },
    }));
    const filter = { generation, keys, ...(named.length > 0 ? { $and: named } : {}) };
    const ids: string[] = [];
    await inTime(async () => {
      for await (const { _id, entries } of counted.find(filter, of ? options : { ...options, limit })) {
        if (of && !(JSON.parse(entries) as Entry[]).some((entry) => isCountedIn(entry, asked))) continue;
        ids.push(_id);
        if (ids.length === limit) break;
      }
    });
    return ids;
  }
  return {
    documents,
    /** What these documents count for now, in all figures of all companies. */
    async entriesOf(ids: readonly string[]): Promise<Map<string, Entry[]>> {
      const filter = { _id: { $in: [...ids] }, generation: await generationOf(rows) };
      const found = await counted.find(filter, { maxTimeMS: queryTimeoutMs }).toArray();
      return new Map(found.map(({ _id, entries }) => [_id, JSON.parse(entries) as Entry[]]));
    },
  };
}

function minutesIn(m: Record<string, number>): Map<number, number> {
  return new Map(Object.entries(m).map(([length, count]) => [Number(length), count]));
}

/** Where the generation stands among the rows. Each recount begins a new one, so that old rows count no more from then on. */
const generationId = 'generation';
const generationLength = 7;

function idOf(generation: number, key: string): string {
  return `${String(generation).padStart(generationLength - 1, '0')}|${key}`;
}

async function generationOf(rows: Rows, session?: ClientSession): Promise<number> {
  return (await rows.findOne({ _id: generationId }, session ? { session } : {}))?.n ?? 0;
}

type RecountedSource<Document extends Countable> = Pick<StatisticsSource<Document>, 'collection' | 'companies'>;

/**
 * Has all documents counted anew by the running services; until they are, figures are too low and `pending` says so.
 * @returns how many documents
 */
export async function recount<Document extends Countable>(
  connection: Connection,
  { collection, companies }: RecountedSource<Document>,
): Promise<number> {
  const { rows } = collections(connection);
  const begun = { upsert: true, returnDocument: 'after' } as const;
  const generation = (await rows.findOneAndUpdate({ _id: generationId }, { $inc: { n: 1 } }, begun))?.n ?? 0;
  await rows.deleteMany({ _id: { $lt: idOf(generation, '') } });
  let total = 0;
  const all = collection as unknown as mongo.Collection<Countable>;
  let after: string | null = null;
  do {
    const { found, next }: { found: Countable[]; next: string | null } = await pageById(all, after, {
      projection: { _id: 1 },
    });
    const ids = found.map(({ _id }) => _id);
    await all.updateMany({ _id: { $in: ids } }, [{ $set: { uncounted: companies } }]);
    total += found.length;
    after = next;
  } while (after !== null);
  return total;
}
