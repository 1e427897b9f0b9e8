import type { FeedbackRequested } from '@app/contracts';
import { addOutbox, type WithOutbox } from '@app/messaging';
import { type Connection as Database, type Model, type mongo, Schema } from 'mongoose';
import type { Job, Known, Lease } from './job.ts';

/**
 * One document for each invoice of a connection and for each feedback. `dueAt` is when somebody must take it up: the time
 * of its next try or, while it is worked on, the end of the lease. Absent, and so not in its index, where nothing is to be done.
 */
export type JobRecord = WithOutbox & {
  _id: string;
  connectionId: string;
  kind: Job['kind'];
  dueAt?: Date;
  lease?: string;
  failures: number;
  abandoned?: string[];
  /** Why it waits, or why it was given up; for people. */
  reason?: string;
  wanted: number;
  /** When it may be forgotten, once it is done. */
  expiresAt?: Date;
  externalId?: string;
  resync?: boolean;
  known?: Known | null;
  sequence?: number;
  /** When its fetch was given up; until one succeeds. */
  givenUpAt?: Date;
  /** It was given up after all of its tries: wanted again once its connection works. */
  returns?: boolean;
  /** When the fetch was claimed that `known` tells of, by the database's clock. */
  fetchedAt?: Date;
  request?: FeedbackRequested;
  /** Of a feedback. */
  invoiceId?: string;
  linkVersion?: number;
};
export type JobRecords = mongo.Collection<JobRecord>;
export type JobModel = Model<JobRecord>;

const schema = new Schema<JobRecord>(
  {
    _id: { type: String, required: true },
    connectionId: { type: String, required: true },
    dueAt: { type: Date },
    expiresAt: { type: Date },
    givenUpAt: { type: Date },
    invoiceId: { type: String },
  },
  { versionKey: false, collection: 'jobs', strict: false },
);
schema.index({ connectionId: 1, dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $exists: true } } });
schema.index(
  { connectionId: 1, givenUpAt: 1, _id: 1 },
  { name: 'failures', partialFilterExpression: { givenUpAt: { $exists: true } } },
);
schema.index({ expiresAt: 1 }, { name: 'forgotten', expireAfterSeconds: 0 });
schema.index({ invoiceId: 1 }, { name: 'feedback', partialFilterExpression: { invoiceId: { $exists: true } } });
addOutbox(schema);

/** The model, for the relay and so that its indexes are made at the start. */
export function jobModel(database: Database): JobModel {
  return (database.models['Job'] as JobModel | undefined) ?? database.model<JobRecord>('Job', schema);
}

export function jobRecords(database: Database): JobRecords {
  const { collection } = jobModel(database);
  return database.collection<JobRecord>(collection.collectionName) as unknown as JobRecords;
}

export function toJob(record: JobRecord, lease: Lease): Job {
  const { _id: id, connectionId, failures, abandoned = [], wanted } = record;
  const common = { id, connectionId, failures, abandoned, lease, wanted };
  if (record.kind === 'feedback') return { ...common, kind: 'feedback', request: record.request as FeedbackRequested };
  const { externalId = '', resync = false, known = null, sequence = 1 } = record;
  return { ...common, kind: 'fetch', externalId, resync, known, sequence };
}
