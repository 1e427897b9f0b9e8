import { newId } from '@app/kernel';
import { isDuplicateKey } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import type { Attempt } from './delivery.ts';
import { deliveriesOf } from './delivery-store.ts';
import { subscribableEvents } from './endpoint.ts';
import { endpointsOf } from './endpoint-store.ts';
import { troubleOf } from './health.ts';
import { isTooOld, type Noticed, noticeRetryAt } from './notice.ts';

/** An attempt after which the endpoint may be failing; `createdAt` is of its delivery. */
export type Failure = { endpointId: string; createdAt: Date; attempt: Attempt };

/** Which endpoints are failing, and which companies have to be told. */
export type NoticeStore = {
  /**
   * Endpoints of which nothing arrived that is as new as the failing delivery are failing from now on, and their companies
   * are to be told: one write of both. A spell that has begun already goes on untold.
   */
  failing(failures: Failure[]): Promise<void>;
  /** All that one company is to be told now, which is nobody else's to tell until `told` or `putOff`; null: nothing. */
  take(at: Date): Promise<Noticed[] | null>;
  told(noticed: Noticed[]): Promise<void>;
  /** Could not be told: again later, unless it is too old; gives those that are given up. */
  putOff(noticed: Noticed[], at: Date): Promise<Noticed[]>;
};

type Options = {
  /** A company gets no more than one e-mail in that time; longer than sending one may take. */
  everyMs: number;
};

/** When a company may be told again. */
type TurnRecord = { _id: string; notBefore: Date };

const turnSchema = new Schema<TurnRecord>(
  { _id: { type: String, required: true }, notBefore: { type: Date, required: true } },
  { versionKey: false, collection: 'notice_turns' },
);
turnSchema.index({ notBefore: 1 }, { expireAfterSeconds: 24 * 3600, name: 'kept1Day' });

export function createNoticeStore(connection: Connection, { everyMs }: Options): NoticeStore {
  const endpoints = endpointsOf(connection);
  const deliveries = deliveriesOf(connection);
  const turns = connection.model('NoticeTurn', turnSchema).collection;

  async function hasArrived({ endpointId, createdAt }: Failure): Promise<boolean> {
    const arrived = { endpointId, status: 'succeeded' as const, createdAt: { $gte: createdAt } };
    const events = { event: { $in: [...subscribableEvents] } };
    return (await deliveries.findOne({ ...arrived, ...events }, { projection: { _id: 1 } })) !== null;
  }

  /** Null where the company's turn is taken, and else until when it is not. */
  async function takeTurn(companyId: string, at: Date): Promise<Date | null> {
    const notBefore = new Date(at.getTime() + everyMs);
    try {
      const free = { _id: companyId as never, notBefore: { $lte: at } };
      await turns.updateOne(free, { $set: { notBefore } }, { upsert: true });
      return null;
    } catch (error) {
      if (!isDuplicateKey(error, '_id_')) throw error;
      const turn = await turns.findOne({ _id: companyId as never });
      return (turn?.['notBefore'] as Date | undefined) ?? notBefore;
    }
  }

  return {
    async failing(failures) {
      const byEndpoint = new Map(failures.map((failure) => [failure.endpointId, failure]));
      for (const failure of byEndpoint.values()) {
        const at = new Date();
        if (await hasArrived(failure)) continue;
        const trouble = troubleOf('failing', at, failure.attempt);
        const notice = { id: newId(at), at, dueAt: at, tries: 0 };
        const well = { _id: failure.endpointId, active: true, trouble: { $exists: false } };
        await endpoints.updateOne(well, { $set: { trouble, notice } });
      }
    },
    async take(at) {
      const due = { 'notice.dueAt': { $lte: at } };
      for (;;) {
        const found = await endpoints.findOne(due, { sort: { 'notice.dueAt': 1 }, projection: { companyId: 1 } });
        if (!found) return null;
        const { companyId } = found;
        const taken = await takeTurn(companyId, at);
        if (taken === null) {
          const records = await endpoints.find({ companyId, ...due }).toArray();
          return records.map(({ _id, ...endpoint }) => ({ id: _id, ...endpoint }) as Noticed);
        }
        await endpoints.updateMany({ companyId, ...due }, { $set: { 'notice.dueAt': taken } });
      }
    },
    async told(noticed) {
      for (const { id, notice } of noticed) {
        // What became true meanwhile is a notice of its own, and stays.
        await endpoints.updateOne({ _id: id, 'notice.id': notice.id }, { $unset: { notice: 1 } });
      }
    },
    async putOff(noticed, at) {
      for (const { id, notice } of noticed) {
        const dueAt = noticeRetryAt(notice, at);
        const later = dueAt
          ? { $set: { 'notice.dueAt': dueAt }, $inc: { 'notice.tries': 1 } }
          : { $unset: { notice: 1 as const } };
        await endpoints.updateOne({ _id: id, 'notice.id': notice.id }, later);
      }
      const [first] = noticed;
      if (first) await turns.updateOne({ _id: first.companyId as never }, { $set: { notBefore: at } });
      return noticed.filter(({ notice }) => isTooOld(notice, at) || noticeRetryAt(notice, at) === null);
    },
  };
}
