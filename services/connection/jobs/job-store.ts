import type { FeedbackRequested, NewEvent } from '@app/contracts';
import { createOutboxWriter, type Relay } from '@app/messaging';
import { createBatcher, isDuplicateKey } from '@app/runtime';
import type { Connection as Database } from 'mongoose';
import { type FeedbackJob, feedbackJobId, type Job, type Known, type Lease } from './job.ts';
import { type JobRecord, jobModel, jobRecords, toJob } from './job-record-store.ts';
import { abandonedToo, takeOver, type Wanted, wish } from './job-updates.ts';

export type Done = {
  events: NewEvent[];
  /** Of a fetch: what is known now, and when it began. */
  fetched?: { known: Known; at: Date };
  keptUntil: Date;
};

/** The durable work of every connection. What holds a lease records by it; a lease that was lost records nothing. */
export type JobStore = {
  /** One job for an invoice, however often it is wanted meanwhile; resolves when all are safe. */
  want(wanted: Wanted): Promise<void>;
  /** Once for each link and outcome. With `done` there is nothing to do any more but to say so. */
  addFeedback(request: FeedbackRequested, at: Date, done?: Done): Promise<void>;
  /** Takes up to `limit` due jobs of a connection, the longest due first. */
  claim(connectionId: string, limit: number, lease: Lease): Promise<Job[]>;
  /** The job is done and its events are filed, in one write; `again` where it was wanted once more meanwhile. */
  finish(job: Job, done: Done): Promise<'done' | 'again' | 'lost'>;
  /** Lengthens the leases of what is still being worked on. */
  renew(jobs: Job[], until: Date): Promise<void>;
  /** Due again at once: nobody has tried them. */
  giveBack(jobs: Job[], at: Date): Promise<void>;
  /** To be tried again then, or at once where it was wanted meanwhile; what this try has stored is left to the next one. */
  retry(job: Job, again: { at: Date; reason: string; isFailure: boolean }): Promise<void>;
  /** Fetches of a deleted connection are forgotten; those with events that nobody has published yet when that is past. */
  discard(jobs: Job[], keptUntil: Date): Promise<void>;
  /**
   * Nothing more is tried, until it is wanted again: by its connection, once that works, where it `returns`. `again`, begun anew,
   * where it was wanted meanwhile.
   */
  giveUp(job: Job, reason: string, done: Done & { returns?: boolean }): Promise<'done' | 'again' | 'lost'>;
  /** Invoices of a connection whose fetch was given up, and that none has fetched since; up to `mostCounted`. */
  givenUp(connectionId: string): Promise<number>;
  /** Connections after `after`, in order, that have a job due. */
  dueConnections(after: string, limit: number, at: Date): Promise<string[]>;
  /** Takes the leases of a connection's jobs away: what is under way records nothing any more. */
  revoke(connectionId: string, at: Date): Promise<void>;
  /** How a feedback stands to the others of its invoice. */
  rivalsOf(job: FeedbackJob): Promise<{ newer: boolean; olderUnderWay: boolean }>;
};

/** What was given up is counted up to there: that it is many is enough to know. */
export const mostCounted = 1_000;
const askedAtOnce = 100;
const pauseMs = 5;

export function createJobStore({ database, relay }: { database: Database; relay: Relay }): JobStore {
  const model = jobModel(database);
  const records = jobRecords(database);
  relay.watch(model);

  // State and events in one write: nothing is done without its events, nor the reverse.
  const writes = createOutboxWriter<JobRecord>({ model, relay, service: 'connection' });

  /** Feedback of these invoices, asked for together. */
  async function feedbackOf(invoiceIds: string[]): Promise<Rival[][]> {
    const projection = { invoiceId: 1, linkVersion: 1, lease: 1, 'request.outcome': 1 };
    const found = await records.find({ invoiceId: { $in: [...new Set(invoiceIds)] } }, { projection }).toArray();
    const byInvoice = Map.groupBy(found as Rival[], ({ invoiceId }) => invoiceId);
    return invoiceIds.map((invoiceId) => byInvoice.get(invoiceId) ?? []);
  }
  const rivals = createBatcher({ maxBatch: askedAtOnce, maxDelayMs: pauseMs, run: feedbackOf });

  return {
    async want(wanted) {
      const operations = [...new Set(wanted.externalIds)].map((externalId) => wish(externalId, wanted));
      if (operations.length > 0) await records.bulkWrite(operations, { ordered: false });
    },
    async addFeedback(request, at, done) {
      const { connection_id: connectionId, invoice_id: invoiceId, link_version: linkVersion } = request;
      const facts = {
        connectionId,
        kind: 'feedback' as const,
        failures: 0,
        wanted: 1,
        request,
        invoiceId,
        linkVersion,
      };
      const state = done ? { expiresAt: done.keptUntil } : { dueAt: at };
      try {
        await writes.insert({ _id: feedbackJobId(request), ...facts, ...state }, done?.events ?? []);
      } catch (error) {
        if (!isDuplicateKey(error, '_id_')) throw error;
      }
    },
    async claim(connectionId, limit, lease) {
      const due = { connectionId, dueAt: { $lte: new Date() } };
      const found = await records
        .find(due, { projection: { _id: 1 } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray();
      if (found.length === 0) return [];
      const ids = found.map(({ _id }) => _id);
      // A claim lost in a crash costs nothing but the wait for its lease to end, so it need not reach the disk first.
      await records.updateMany({ _id: { $in: ids }, ...due }, takeOver(lease), {
        writeConcern: { w: 1, journal: false },
      });
      const claimed = await records.find({ _id: { $in: ids }, lease: lease.id }).toArray();
      return claimed.map((record) => toJob(record, lease));
    },
    async finish(job, { events, fetched, keptUntil }) {
      const own = { _id: job.id, lease: job.lease.id };
      const learned = { failures: 0, ...(fetched ? { known: fetched.known, fetchedAt: fetched.at } : {}) };
      const gone = { lease: 1, abandoned: 1, reason: 1, givenUpAt: 1, returns: 1 } as const;
      const done = {
        $set: { ...learned, expiresAt: keptUntil, resync: false },
        $unset: { ...gone, dueAt: 1 as const },
      };
      if (await writes.update({ filter: { ...own, wanted: job.wanted }, update: done, events })) return 'done';
      const again = { $set: { ...learned, dueAt: new Date() }, $unset: gone };
      return (await writes.update({ filter: own, update: again, events })) ? 'again' : 'lost';
    },
    async renew(jobs, until) {
      await records.updateMany(held(jobs), { $set: { dueAt: until } }, { writeConcern: { w: 1, journal: false } });
    },
    async giveBack(jobs, at) {
      if (jobs.length > 0) await records.updateMany(held(jobs), { $set: { dueAt: at }, $unset: { lease: 1 } });
    },
    async retry(job, { at, reason, isFailure }) {
      // It begins anew, as one that waits does when it is wanted: whoever wanted it meanwhile does not wait for the old one.
      const isWantedAnew = { $gt: ['$wanted', job.wanted] };
      const fields = {
        dueAt: { $cond: [isWantedAnew, new Date(), at] },
        failures: { $cond: [isWantedAnew, 0, { $add: ['$failures', isFailure ? 1 : 0] }] },
        reason: { $literal: reason },
        abandoned: abandonedToo,
        lease: '$$REMOVE',
      };
      await records.updateOne(held([job]), [{ $set: fields }]);
    },
    async discard(jobs, keptUntil) {
      if (jobs.length === 0) return;
      // What a fetch found is told all the same: its events go with its record, once they are published.
      await records.updateMany(
        { ...held(jobs), 'outbox.0': { $exists: true } },
        { $set: { expiresAt: keptUntil }, $unset: { dueAt: 1, lease: 1, abandoned: 1, givenUpAt: 1 } },
      );
      await records.deleteMany({ ...held(jobs), 'outbox.0': { $exists: false } });
    },
    async giveUp(job, reason, { events, keptUntil, returns = false }) {
      const own = { _id: job.id, lease: job.lease.id };
      const gone = { lease: 1, abandoned: 1 } as const;
      const givenUp = job.kind === 'fetch' ? { givenUpAt: new Date(), returns } : {};
      const ended = {
        $set: { reason, failures: 0, expiresAt: keptUntil, ...givenUp },
        $unset: { ...gone, dueAt: 1 as const },
      };
      if (await writes.update({ filter: { ...own, wanted: job.wanted }, update: ended, events })) return 'done';
      // Whoever wanted it meanwhile was answered that it will be done.
      const again = { $set: { reason, failures: 0, dueAt: new Date() }, $unset: gone };
      return (await writes.update({ filter: own, update: again, events })) ? 'again' : 'lost';
    },
    givenUp: (connectionId) =>
      records.countDocuments(
        { connectionId, givenUpAt: { $gt: new Date(0) } },
        { limit: mostCounted, hint: 'failures' },
      ),
    async dueConnections(after, limit, at) {
      // Both ranges together let MongoDB hop from connection to connection (DISTINCT_SCAN) however much waits at each.
      const found = await records
        .aggregate<{ _id: string }>([
          { $match: { connectionId: { $gt: after }, dueAt: { $gt: new Date(0) } } },
          { $sort: { connectionId: 1, dueAt: 1 } },
          { $group: { _id: '$connectionId', dueAt: { $first: '$dueAt' } } },
          { $match: { dueAt: { $lte: at } } },
          { $sort: { _id: 1 } },
          { $limit: limit },
        ])
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async revoke(connectionId, at) {
      const leased = { connectionId, dueAt: { $gt: new Date(0) }, lease: { $exists: true } };
      await records.updateMany(leased, [{ $set: { abandoned: abandonedToo, lease: '$$REMOVE', dueAt: at } }]);
    },
    async rivalsOf({ id, request: { invoice_id: invoiceId, link_version: version } }) {
      const others = (await rivals.add(invoiceId)).filter(({ _id }) => _id !== id);
      const isNewer = (rival: Rival) =>
        rival.linkVersion > version || (rival.linkVersion === version && rival.request.outcome === 'reversed');
      const underWay = others.filter((rival) => rival.lease !== undefined && !isNewer(rival));
      return { newer: others.some(isNewer), olderUnderWay: underWay.length > 0 };
    },
  };
}

type Rival = { _id: string; invoiceId: string; linkVersion: number; lease?: string; request: FeedbackRequested };

/** Those whose leases still stand. */
function held(jobs: Job[]) {
  const leases = [...new Set(jobs.map(({ lease }) => lease.id))];
  return { _id: { $in: jobs.map(({ id }) => id) }, lease: { $in: leases } };
}
