import type { FeedbackRequested, FeedbackSettled } from '@app/contracts';
import { addOutbox, type WithOutbox } from '@app/messaging';
import { collectionOf, documentSchema, modelOf } from '@app/runtime';
import type { Lease } from '@app/work-queue';
import type { Connection as Database, Model, mongo } from 'mongoose';
import { fetchJobId, type Job, type ListedInvoice, type PublishedContent, type SentMessage } from './job.ts';

/**
 * One document per invoice of a connection, and one per outcome to report. `dueAt` is when a process must pick the job up:
 * the next attempt or, during an attempt, the end of its lease. A job without it has nothing to do.
 */
export type JobRecord = WithOutbox & {
  _id: string;
  connectionId: string;
  kind: Job['kind'];
  dueAt?: Date;
  lease?: string;
  failures: number;
  abandonedLeases?: string[];
  /** Why it waits or was given up, for people. */
  reason?: string;
  /** How often the job was requested; an attempt that ends finds by it that there was another request. */
  requests: number;
  /** When MongoDB deletes it, once it is done. */
  expiresAt?: Date;
  /** Of a fetch: */
  externalId?: string;
  resync?: boolean;
  published?: PublishedContent | null;
  /** Of the change that a poll requested it for last, as `ListedInvoice` has it. */
  changedAt?: Date;
  mayBeGone?: boolean;
  sequence?: number;
  /** When the fetch was first given up; absent after a success, and once a person dismissed it. */
  givenUpAt?: Date;
  /** Given up after its last attempt: from then on requested again once the connection works. */
  returnsAt?: Date | null;
  /** Start of the last successful fetch, by the clock of the database. */
  fetchedAt?: Date;
  /** Of a feedback: */
  request?: FeedbackRequested;
  /** The message that the provider took; absent until then. */
  sent?: SentMessage;
  /** What came of it; absent until then. */
  settled?: FeedbackSettled;
  invoiceId?: string;
  linkVersion?: number;
};
type JobModel = Model<JobRecord>;

const schema = documentSchema<JobRecord>('jobs');
schema.index({ connectionId: 1, dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $exists: true } } });
schema.index(
  { connectionId: 1, givenUpAt: 1, _id: 1 },
  { name: 'failures', partialFilterExpression: { givenUpAt: { $exists: true } } },
);
schema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
schema.index({ invoiceId: 1 }, { name: 'feedback', partialFilterExpression: { invoiceId: { $exists: true } } });
addOutbox(schema);

/** The model of `jobs`, for the relay; its indexes are created at the start. */
export function jobModel(database: Database): JobModel {
  return modelOf(database, 'Job', schema);
}

/** By the driver: jobs are claimed, and changes are pipelines. */
export function jobRecords(database: Database): mongo.Collection<JobRecord> {
  return collectionOf(jobModel(database));
}

export function toJob(record: JobRecord, lease: Lease): Job {
  const { _id: id, connectionId, failures, abandonedLeases = [], requests } = record;
  const base = { id, connectionId, failures, abandonedLeases, lease, requests };
  if (record.kind === 'feedback') {
    return { ...base, kind: 'feedback', request: record.request as FeedbackRequested, sent: record.sent ?? null };
  }
  const {
    externalId = '',
    resync = false,
    published = null,
    mayBeGone = false,
    sequence = 1,
    givenUpAt = null,
  } = record;
  return { ...base, kind: 'fetch', externalId, resync, published, mayBeGone, givenUpAt, sequence };
}

export type FetchRequest = {
  connectionId: string;
  externalIds: string[];
  /** Publish the invoice even if its content has not changed. */
  resync?: boolean;
  at: Date;
};

/**
 * Inserts the job or requests it once more. A job that is being worked on keeps its lease: whoever finishes it sees the new
 * request. A job that waits for a retry or was given up starts again, because the provider has something new. `listed` for a
 * change that it was requested for before changes nothing: every poll may list it once more.
 */
export function upsertFetchJob(
  externalId: string,
  { connectionId, resync = false, at }: Omit<FetchRequest, 'externalIds'>,
  listed?: ListedInvoice,
) {
  const text = (value: string) => ({ $literal: value });
  // `$$NOW` caps a clock of this process that runs ahead.
  const soonest = { $min: ['$dueAt', at, '$$NOW'] };
  const isLeased = { $gt: ['$lease', null] };
  const isUpToDate = listed?.changedAt ? { $eq: ['$changedAt', listed.changedAt] } : false;
  const fields = {
    connectionId: text(connectionId),
    kind: 'fetch',
    externalId: text(externalId),
    requests: { $add: [{ $ifNull: ['$requests', 0] }, { $cond: [isUpToDate, 0, 1] }] },
    resync: { $or: [{ $ifNull: ['$resync', false] }, resync] },
    failures: { $cond: [{ $or: [isLeased, isUpToDate] }, '$failures', 0] },
    published: { $ifNull: ['$published', null] },
    dueAt: { $cond: [{ $or: [isLeased, isUpToDate] }, '$dueAt', soonest] },
    expiresAt: { $cond: [isUpToDate, '$expiresAt', '$$REMOVE'] },
    ...(listed
      ? {
          changedAt: listed.changedAt ?? '$$REMOVE',
          mayBeGone: { $or: [{ $ifNull: ['$mayBeGone', false] }, listed.deleted] },
        }
      : {}),
  };
  return {
    updateOne: { filter: { _id: fetchJobId(connectionId, externalId) }, update: [{ $set: fields }], upsert: true },
  };
}

/** The job is due, and publishes whatever it fetches. One that is being worked on runs once more after that. */
export function fetchAgainUpdate(at: Date): object[] {
  const dueAt = { $cond: [{ $gt: ['$lease', null] }, '$dueAt', { $min: ['$dueAt', at, '$$NOW'] }] };
  const requests = { $add: [{ $ifNull: ['$requests', 0] }, 1] };
  const forgotten = { published: null, fetchedAt: '$$REMOVE', mayBeGone: true };
  return [{ $set: { ...forgotten, requests, dueAt, expiresAt: '$$REMOVE' } }];
}

/** A lease in the record when there should be none is that of a crashed attempt. */
const abandonedWithLease = {
  $concatArrays: [{ $ifNull: ['$abandonedLeases', []] }, { $cond: [{ $gt: ['$lease', null] }, ['$lease'], []] }],
};

/**
 * Starts at the time of the database in milliseconds: greater than what another connection, or a job deleted since, used for
 * the same invoice.
 */
const nextSequence = { $max: [{ $add: [{ $ifNull: ['$sequence', 0] }, 1] }, { $toLong: '$$NOW' }] };

/** Gives the job to the lease, and counts the crash of a holder before. */
export function claimUpdate(lease: Lease): object[] {
  const crashes = { $cond: [{ $gt: ['$lease', null] }, 1, 0] };
  const claimed = { lease: lease.id, dueAt: lease.until, sequence: nextSequence };
  return [{ $set: { abandonedLeases: abandonedWithLease, failures: { $add: ['$failures', crashes] }, ...claimed } }];
}

/** Takes the lease away; the job is due at `at`. */
export function revokeUpdate(at: Date): object[] {
  return [{ $set: { abandonedLeases: abandonedWithLease, lease: '$$REMOVE', dueAt: at } }];
}

/**
 * Due again at `at`; at once and with no failures counted if it was requested during the attempt,
 * like a request for a job that waits. The next attempt removes the files that this one left.
 */
export function retryUpdate(job: Job, { at, reason, isFailure, sent }: Retry, now: Date): object[] {
  const isRequestedAgain = { $gt: ['$requests', job.requests] };
  const fields = {
    dueAt: { $cond: [isRequestedAgain, now, at] },
    failures: { $cond: [isRequestedAgain, 0, { $add: ['$failures', isFailure ? 1 : 0] }] },
    reason: { $literal: reason },
    ...(sent && { sent: { $literal: sent } }),
    abandonedLeases: abandonedWithLease,
    lease: '$$REMOVE',
  };
  return [{ $set: fields }];
}

export type Retry = { at: Date; reason: string; isFailure: boolean; sent?: SentMessage | undefined };
