import { gunzipSync, gzipSync } from 'node:zlib';
import type { ExportedFile, ExportPageRead, NewEvent } from '@app/contracts';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { documentSchema, isDuplicateKey } from '@app/runtime';
import { type ProtectedWrite, writeOnceIn } from '@app/runtime/idempotency';
import { claimNextDue, type Lease } from '@app/work-queue';
import type { ClientSession, Connection, Model, mongo, QueryFilter, UpdateQuery } from 'mongoose';
import { type CompanyExport, isEnded, withPage } from './export.ts';

export type ExportStore = ReturnType<typeof createExportStore>;

/** `running` is there while it runs: a unique index on it allows one per owner. `dueAt`: when it is to be claimed. */
type ExportRecord = CompanyExport & { running?: true; dueAt?: Date; lease?: string; forgetAt: Date } & WithOutbox;
type PageRecord = { _id: string; lines: Buffer };
type FileRecord = ExportedFile & { _id: string };

/** The retention of the audit log, which names exports. */
const retentionMs = 400 * 24 * 3600_000;

const schema = documentSchema<ExportRecord>('exports');
addOutbox(schema);
schema.index({ owner: 1, running: 1 }, { name: 'running', unique: true, partialFilterExpression: { running: true } });
schema.index({ owner: 1, _id: -1 }, { name: 'owner' });
schema.index({ 'company.id': 1, requested_at: 1 }, { name: 'company' });
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $exists: true } } });
schema.index({ forgetAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });

/**
 * Ids of pages and files begin with the id of their export, so that the index on ids is the only
 * one that is needed.
 */
const pageSchema = documentSchema<PageRecord>('export_pages');
const fileSchema = documentSchema<FileRecord>('export_files');

const projection = { outbox: 0, running: 0, dueAt: 0, lease: 0, forgetAt: 0 } as const;
const batchSize = 20;

type Page = { [Name in 'companyId' | 'userId' | 'before']?: string | undefined } & { limit: number };
type Deps = { connection: Connection; relay: Pick<Relay, 'watch' | 'committed'> };

export function createExportStore({ connection, relay }: Deps) {
  const exports = connection.model<ExportRecord>('Export', schema);
  const pages = connection.model<PageRecord>('ExportPage', pageSchema);
  const files = connection.model<FileRecord>('ExportFile', fileSchema);
  relay.watch(exports);

  return {
    /**
     * Begins the export with its events, unless one of its owner runs already.
     * @returns the export that runs then
     */
    async begin(job: CompanyExport, events: NewEvent[], write: ProtectedWrite | null): Promise<CompanyExport> {
      try {
        const { saved, outbox } = await writeOnceIn(write, connection, async (within) => {
          const outbox = toCloudEvents('ticket', events);
          const forgetAt = new Date(job.requested_at.getTime() + retentionMs);
          await exports.create([{ ...job, running: true, dueAt: job.requested_at, forgetAt, outbox }], within);
          return { saved: job, outbox };
        });
        relay.committed(exports, saved._id, outbox);
        return saved;
      } catch (error) {
        if (!isDuplicateKey(error, 'running')) throw error;
        const filter = { owner: job.owner, running: true as const };
        const running = await exports.findOne(filter, projection).lean<CompanyExport>();
        // If that export has ended meanwhile, the new one can begin.
        return running ?? this.begin(job, events, write);
      }
    },
    find: (_id: string): Promise<CompanyExport | null> =>
      exports.findById(_id, projection).lean<CompanyExport>().exec(),
    /** Those of companies, or of one, the newest first; with `userId` those of lists of this user of the company. */
    list({ companyId, userId, before, limit }: Page): Promise<CompanyExport[]> {
      const owner = userId ?? companyId;
      const filter = {
        list: { $exists: userId !== undefined },
        ...(owner === undefined ? {} : { owner, 'company.id': String(companyId) }),
        ...(before === undefined ? {} : { _id: { $lt: before } }),
      };
      const hint = owner === undefined ? '_id_' : 'owner';
      return exports.find(filter, projection).hint(hint).sort({ _id: -1 }).limit(limit).lean<CompanyExport[]>().exec();
    },
    /** Counts a download, with its events. False if there is no archive. */
    async download(_id: string, events: NewEvent[]): Promise<boolean> {
      const outbox = toCloudEvents('ticket', events);
      const update = { $inc: { downloads: 1 }, $push: { outbox: { $each: outbox } } };
      const { matchedCount } = await exports.updateOne({ _id, state: 'done' }, update);
      if (matchedCount > 0) relay.committed(exports, _id, outbox);
      return matchedCount > 0;
    },
    /** How many of lists users of this company have begun since, whatever became of them; counted up to `limit`. */
    begun(companyId: string, since: Date, limit: number): Promise<number> {
      const filter = { 'company.id': companyId, requested_at: { $gte: since }, list: { $exists: true } };
      return exports.countDocuments(filter, { limit }).hint('company').exec();
    },
    /** How many archives of this owner are kept. */
    kept: (owner: string): Promise<number> => exports.countDocuments({ owner, state: 'done' }).hint('owner').exec(),
    ...work(exports),
    ...collected({ connection, exports, pages, files }),
  };
}

type Collections = {
  connection: Connection;
  exports: Model<ExportRecord>;
  pages: Model<PageRecord>;
  files: Model<FileRecord>;
};

function collected({ connection, exports, pages, files }: Collections) {
  return {
    /**
     * Adds a page, unless it was added before; the next one is asked for again at `askAgainAt`.
     * @returns the export with it; null if nothing was added
     */
    addPage: (
      page: ExportPageRead,
      { at, askAgainAt }: { at: Date; askAgainAt: Date },
    ): Promise<CompanyExport | null> =>
      connection.transaction(async (session) => {
        const found = await exports.findById(page.export_id, projection, { session }).lean<CompanyExport>();
        const next = found && withPage(found, page, at);
        if (!found || !next) return null;
        const added = await addFiles(files, page, session);
        const changed = { ...next, files: { ...next.files, total: next.files.total + added } };
        // The caller asks for the next page at once, which is the first try.
        const { _id, ...fields } = { ...changed, awaited: { ...changed.awaited, tries: 1 } };
        const dueAt = next.state === 'collecting' ? askAgainAt : at;
        const gone = { lease: 1 as const, ...endOf(next) };
        await exports.updateOne({ _id }, { $set: { ...fields, dueAt }, $unset: gone }, { session });
        if (page.count > 0) {
          const pageId = `${_id}.${sequence(found.awaited.kind)}.${sequence(found.pages)}`;
          await pages.create([{ _id: pageId, lines: gzipSync(page.lines) }], { session });
        }
        return { _id, ...fields };
      }),
    /** The lines of a kind, by its place among the kinds, page by page. */
    async *lines(id: string, kind: number): AsyncGenerator<Buffer> {
      for await (const { lines } of all(pages, `${id}.${sequence(kind)}`)) {
        // `lean` leaves bytes in the driver's type.
        yield gunzipSync((lines as unknown as mongo.Binary).buffer);
      }
    },
    files: (id: string): AsyncIterable<ExportedFile> => all(files, id),
    /** Removes all pages and files that were collected. */
    async clear(id: string): Promise<void> {
      await pages.deleteMany(within(id));
      await files.deleteMany(within(id));
    },
  };
}

function work(exports: Model<ExportRecord>) {
  const write = async (id: string, lease: Lease, change: UpdateQuery<ExportRecord>) => {
    const { matchedCount } = await exports.updateOne({ _id: id, lease: lease.id }, change);
    return matchedCount > 0;
  };
  return {
    /** Claims the export that is due for longest. */
    claim: (lease: Lease): Promise<CompanyExport | null> => claimNextDue(exports, lease, { projection }),
    /** Changes an export and ends the lease; the export is due again at `dueAt`, or never. False, and nothing is saved, if the lease was lost. */
    save(id: string, lease: Lease, change: Partial<CompanyExport>, dueAt: Date | null): Promise<boolean> {
      const gone = {
        lease: 1 as const,
        ...(dueAt === null ? { dueAt: 1 as const } : {}),
        ...endOf(change),
      };
      return write(id, lease, { $set: { ...change, ...(dueAt === null ? {} : { dueAt }) }, $unset: gone });
    },
    /** The same, and extends the lease until then. */
    renew: (id: string, lease: Lease, change: Partial<CompanyExport>, until: Date): Promise<boolean> =>
      write(id, lease, { $set: { ...change, dueAt: until } }),
  };
}

/** What goes with the end of an export, so that its owner's next one may begin as soon as anybody sees that it has ended. */
function endOf({ state }: Partial<Pick<CompanyExport, 'state'>>): { running?: 1 } {
  return state && isEnded({ state }) ? { running: 1 } : {};
}

/** A file that two things name is in the archive once. @returns how many are new */
async function addFiles(files: Model<FileRecord>, page: ExportPageRead, session: ClientSession) {
  if (page.files.length === 0) return 0;
  const upserts = page.files.map(({ key, path }) => {
    // `files/<digest of the key>/<name>`
    const [, digest] = path.split('/');
    const filter = { _id: `${page.export_id}.${digest}` };
    return { updateOne: { filter, update: { $setOnInsert: { key, path } }, upsert: true } };
  });
  return (await files.bulkWrite(upserts, { session })).upsertedCount;
}

/**
 * Batch by batch, each by a query of its own: the database closes a cursor that is not read for ten
 * minutes, and the storage may be that slow.
 */
async function* all<T extends { _id: string }>(model: Model<T>, id: string): AsyncGenerator<T> {
  const { $lt } = within(id)._id;
  let { $gt } = within(id)._id;
  for (;;) {
    const filter = { _id: { $gt, $lt } } as QueryFilter<T>;
    const batch = await model.find(filter).sort({ _id: 1 }).limit(batchSize).lean<T[]>();
    yield* batch;
    const last = batch.at(-1);
    if (batch.length < batchSize || !last) return;
    $gt = last._id;
  }
}

/** All that belongs to an export, by the index on ids. */
function within(id: string) {
  return { _id: { $gt: `${id}.`, $lt: `${id}/` } };
}

function sequence(number: number): string {
  return String(number).padStart(8, '0');
}
