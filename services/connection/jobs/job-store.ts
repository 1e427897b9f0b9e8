import {
  type FeedbackRequested,
  type FeedbackSettled,
  type InvoiceOutcome,
  invoiceFeedbackSettled,
  type NewEvent,
} from '@app/contracts';
import { createOutboxWriter, type Relay } from '@app/messaging';
import { isDuplicateKey } from '@app/runtime';
import { claimBatch, findDueKeys, type Lease } from '@app/work-queue';
import type { Connection as Database } from 'mongoose';
import { maxCountedFailures } from '../connections/connection.ts';
import {
  type FeedbackJob,
  feedbackJobId,
  fetchJobId,
  type Job,
  type ListedInvoice,
  type PublishedContent,
  returnTime,
} from './job.ts';
import {
  claimUpdate,
  type FetchRequest,
  fetchAgainUpdate,
  type JobRecord,
  jobModel,
  jobRecords,
  type Retry,
  retryUpdate,
  revokeUpdate,
  toJob,
  upsertFetchJob,
} from './job-collection.ts';

/** The end of a job: the events to publish, and until when its record is kept. */
export type JobOutcome = {
  events: NewEvent[];
  /** Of a fetch: what is published now, and when the fetch started by the clock of the database. */
  fetched?: { published: PublishedContent; at: Date };
  expiresAt: Date;
};

/** `requeued`: requested once more during the attempt, so it is due again. `lost`: nothing recorded, the lease was lost. */
export type EndResult = 'done' | 'requeued' | 'lost';

const epoch = new Date(0);
/**
 * Renewals skip the journal: if a crash loses one, another process takes the job over early and the first result is
 * dropped.
 */
const unjournaled = { writeConcern: { w: 1, journal: false } } as const;

type DismissedFetch = { connectionId: string; externalId: string };
type Ending = { set: object; unset: object; whenRequestedAgain: object; events: NewEvent[] };

/** The jobs of all connections. A result is recorded only under the lease that the job still has. */
export class JobStore {
  readonly #records;
  readonly #writer;
  readonly #now: () => Date;

  constructor({ database, relay, now }: { database: Database; relay: Relay; now: () => Date }) {
    const model = jobModel(database);
    relay.watch(model);
    this.#records = jobRecords(database);
    this.#now = now;
    this.#writer = createOutboxWriter<JobRecord>({ model, relay, service: 'connection' });
  }

  /** One job per invoice, however often it is requested. Resolves once all are stored. */
  async enqueueFetches({ externalIds, ...request }: FetchRequest): Promise<void> {
    await this.#write([...new Set(externalIds)].map((externalId) => upsertFetchJob(externalId, request)));
  }

  /** The same for a page of a poll, but for changes that were requested before. */
  async enqueueListed(invoices: ListedInvoice[], request: { connectionId: string; at: Date }): Promise<void> {
    await this.#write(invoices.map((listed) => upsertFetchJob(listed.externalId, request, listed)));
  }

  /** Fetches what was fetched since then again, also if nothing has changed. */
  async fetchAgain(since: Date, at: Date): Promise<void> {
    await this.#records.updateMany({ kind: 'fetch', fetchedAt: { $gte: since } }, fetchAgainUpdate(at));
  }

  /**
   * Enqueues feedback once per link and outcome. Asked `again`, an ended job publishes its outcome again. With `outcome` the job
   * is stored as ended.
   */
  async enqueueFeedback(asked: FeedbackRequested, at: Date, outcome?: JobOutcome): Promise<void> {
    const { again = false, ...request } = asked;
    const { connection_id: connectionId, invoice_id: invoiceId, link_version: linkVersion } = request;
    const fields = {
      connectionId,
      kind: 'feedback' as const,
      failures: 0,
      requests: 1,
      request,
      invoiceId,
      linkVersion,
    };
    const state = outcome ? { expiresAt: outcome.expiresAt, ...settledBy(outcome.events) } : { dueAt: at };
    try {
      await this.#writer.insert({ _id: feedbackJobId(request), ...fields, ...state }, outcome?.events ?? [], null);
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      if (again) await this.#republishOutcome(feedbackJobId(request), at);
    }
  }

  /** Reconciliation may have been restored to a state before the outcome. */
  async #republishOutcome(id: string, at: Date): Promise<void> {
    const ended = { _id: id, dueAt: { $exists: false } };
    const settled = (await this.#records.findOne(ended, { projection: { settled: 1 } }))?.settled;
    if (!settled) return;
    await this.#writer.update({
      filter: ended,
      update: { $set: { settled } },
      events: [invoiceFeedbackSettled(settled, at)],
    });
  }

  /** Up to `limit` connections with a due job, in order, after `after`. */
  dueConnections(after: string, limit: number, at: Date): Promise<string[]> {
    return findDueKeys(this.#records, 'connectionId', { after, limit, at });
  }

  /** Claims up to `limit` due jobs of a connection, the longest due first. */
  async claim(connectionId: string, limit: number, lease: Lease): Promise<Job[]> {
    const claimed = await claimBatch(this.#records, {
      due: { connectionId, dueAt: { $lte: lease.from } },
      sort: { dueAt: 1 },
      limit,
      // Acknowledged by a majority: files are stored under the lease, and if an election rolled the claim back, nobody
      // would know whose they are.
      update: claimUpdate(lease),
      marked: { lease: lease.id },
    });
    return claimed.map((record) => toJob(record, lease));
  }

  async renew(jobs: Job[], until: Date): Promise<void> {
    await this.#records.updateMany(leasedBy(jobs), { $set: { dueAt: until } }, unjournaled);
  }

  /** Due again at once: nobody worked on them. */
  async release(jobs: Job[], at: Date): Promise<void> {
    if (jobs.length === 0) return;
    await this.#records.updateMany(leasedBy(jobs), { $set: { dueAt: at }, $unset: { lease: 1 } });
  }

  /** Ends the job and stores its events, in one write. */
  finish(job: Job, { events, fetched, expiresAt }: JobOutcome): Promise<EndResult> {
    const learned = fetched ? { published: fetched.published, fetchedAt: fetched.at } : {};
    return this.#end(job, {
      set: { ...learned, ...settledBy(events), failures: 0, expiresAt, resync: false },
      unset: { lease: 1, abandonedLeases: 1, reason: 1, givenUpAt: 1, returnsAt: 1 },
      whenRequestedAgain: learned,
      events,
    });
  }

  /** Gives the job up: no attempt until it is requested again. With `returns`, the connection requests it once it works. */
  giveUp(job: Job, reason: string, outcome: JobOutcome & { returns?: boolean }): Promise<EndResult> {
    const { events, expiresAt, returns = false } = outcome;
    const now = this.#now();
    const failure =
      job.kind === 'fetch' ? { givenUpAt: job.givenUpAt ?? now, returnsAt: returns ? returnTime(job, now) : null } : {};
    return this.#end(job, {
      set: { reason, failures: 0, expiresAt, ...failure, ...settledBy(events) },
      unset: { lease: 1, abandonedLeases: 1 },
      whenRequestedAgain: { reason },
      events,
    });
  }

  /** Forgets that a fetch was given up, until the provider announces it again. False while it is being fetched. */
  dismiss({ connectionId, externalId }: DismissedFetch, { events, expiresAt }: JobOutcome): Promise<boolean> {
    return this.#writer.update({
      filter: { _id: fetchJobId(connectionId, externalId), givenUpAt: { $gt: epoch }, lease: { $exists: false } },
      update: { $set: { failures: 0, expiresAt }, $unset: { dueAt: 1, reason: 1, givenUpAt: 1, returnsAt: 1 } },
      events,
    });
  }

  /** Ends the job, or makes it due again if it was requested during the attempt: that request was accepted. */
  async #end(job: Job, { set, unset, whenRequestedAgain, events }: Ending): Promise<EndResult> {
    const leased = { _id: job.id, lease: job.lease.id };
    const ended = { $set: set, $unset: { ...unset, dueAt: 1 } };
    const isEnded = await this.#writer.update({ filter: { ...leased, requests: job.requests }, update: ended, events });
    if (isEnded && job.kind === 'feedback') await this.#wakeFrom(job);
    if (isEnded) return 'done';
    const again = { $set: { ...whenRequestedAgain, failures: 0, dueAt: this.#now() }, $unset: unset };
    return (await this.#writer.update({ filter: leased, update: again, events })) ? 'requeued' : 'lost';
  }

  /** Puts off feedback that waits for an older one, unless that has ended meanwhile. */
  async block(job: FeedbackJob, retry: Retry): Promise<boolean> {
    const isOurs = await this.scheduleRetry(job, retry);
    if (isOurs && !(await this.findCompetingFeedback(job)).olderInProgress) await this.#wakeFrom(job);
    return isOurs;
  }

  /** Makes feedback of the same invoice due, from this one on. After a crash before this write it is due by itself, later. */
  async #wakeFrom({ request }: FeedbackJob): Promise<void> {
    const at = this.#now();
    const { invoice_id: invoiceId, link_version: linkVersion } = request;
    const waiting = { dueAt: { $gt: at }, lease: { $exists: false }, sent: { $exists: false } };
    const later = { invoiceId, linkVersion: { $gte: linkVersion }, ...waiting };
    await this.#records.updateMany(later, { $set: { dueAt: at } });
  }

  /** False if the lease was lost: nothing was recorded. */
  async scheduleRetry(job: Job, retry: Retry): Promise<boolean> {
    const { matchedCount } = await this.#records.updateOne(leasedBy([job]), retryUpdate(job, retry, this.#now()));
    return matchedCount === 1;
  }

  /** Deletes fetches of a deleted connection; one with unpublished events expires at `expiresAt` instead. */
  async discardFetches(jobs: Job[], expiresAt: Date): Promise<void> {
    if (jobs.length === 0) return;
    await this.#records.updateMany(
      { ...leasedBy(jobs), 'outbox.0': { $exists: true } },
      { $set: { expiresAt }, $unset: { dueAt: 1, lease: 1, abandonedLeases: 1, givenUpAt: 1 } },
    );
    await this.#records.deleteMany({ ...leasedBy(jobs), 'outbox.0': { $exists: false } });
  }

  async #write(operations: ReturnType<typeof upsertFetchJob>[]): Promise<void> {
    if (operations.length > 0) await this.#records.bulkWrite(operations, { ordered: false });
  }

  /** Takes the leases of a connection's jobs away: attempts in progress record nothing any more. */
  async revokeLeases(connectionId: string, at: Date): Promise<void> {
    const leased = { connectionId, dueAt: { $gt: epoch }, lease: { $exists: true } };
    await this.#records.updateMany(leased, revokeUpdate(at));
  }

  /** Invoices of a connection whose fetch was given up, at most `maxCountedFailures`. */
  countFailures(connectionId: string): Promise<number> {
    const givenUp = { connectionId, givenUpAt: { $gt: epoch } };
    return this.#records.countDocuments(givenUp, { limit: maxCountedFailures, hint: 'failures' });
  }

  /** Other feedback of the same invoice: whether a newer one takes its place, and whether it must wait for an older one. */
  async findCompetingFeedback({ id, request }: FeedbackJob): Promise<{ newer: boolean; olderInProgress: boolean }> {
    const { invoice_id: invoiceId, link_version: version } = request;
    const projection = { linkVersion: 1, lease: 1, dueAt: 1, sent: 1, 'request.outcome': 1 };
    const others = await this.#records.find({ invoiceId, _id: { $ne: id } }, { projection }).toArray();
    // A reversal comes after the outcome that it reverses, in the same version of the link.
    const isLater = ({ linkVersion = 0, request: other }: JobRecord) =>
      linkVersion > version || (linkVersion === version && other?.outcome === 'reversed');
    const isReplaceable = replaceable.has(request.outcome);
    const replaces = (other: JobRecord) => replaceable.has(other.request?.outcome ?? 'reversed');
    // One that is being sent, or will be in any case.
    const isUnfinished = (other: JobRecord) =>
      other.lease !== undefined ||
      (other.dueAt !== undefined && (other.sent !== undefined || !isReplaceable || !replaces(other)));
    return {
      newer: isReplaceable && others.some((other) => isLater(other) && replaces(other)),
      olderInProgress: others.some((other) => !isLater(other) && isUnfinished(other)),
    };
  }
}

/** Outcomes of which only the newest counts: of links and refusals. */
const replaceable: ReadonlySet<InvoiceOutcome> = new Set(['taken_in_charge', 'reversed', 'refused'] as const);

/** The result of feedback, if the events of its end tell one. */
function settledBy(events: NewEvent[]): { settled?: FeedbackSettled } {
  const event = events.find(({ type }) => type === invoiceFeedbackSettled.type);
  return event ? { settled: event.data as FeedbackSettled } : {};
}

/** The jobs that still have the leases they were claimed under. */
function leasedBy(jobs: Job[]) {
  const leases = [...new Set(jobs.map(({ lease }) => lease.id))];
  return { _id: { $in: jobs.map(({ id }) => id) }, lease: { $in: leases } };
}
