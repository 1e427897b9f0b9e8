import { documentSchema } from '@app/runtime';
import { claimNextDue, type Lease } from '@app/work-queue';
import type { Connection } from 'mongoose';

/** The mailbox as the replicas share it: whoever has the lease reads it. */
type MailboxDocument = { _id: string; dueAt: Date; lease?: string; read_at: Date };
export type ClaimedMailbox = { leaseId: string };
export type MailboxStore = ReturnType<typeof createMailboxStore>;

const mailboxSchema = documentSchema<MailboxDocument>('mailboxes');
mailboxSchema.index({ dueAt: 1 }, { name: 'due' });

const _id = 'answers';

export function createMailboxStore({ connection }: { connection: Connection }) {
  const model = connection.model<MailboxDocument>('Mailbox', mailboxSchema);
  return {
    async dueKeys(after: string, _limit: number, at: Date): Promise<string[]> {
      const found = await model.findById(_id).lean<MailboxDocument>();
      if (!found) await model.updateOne({ _id }, { $setOnInsert: { dueAt: at, read_at: at } }, { upsert: true });
      return after < _id && (found?.dueAt ?? at) <= at ? [_id] : [];
    },
    async claim(lease: Lease): Promise<ClaimedMailbox[]> {
      return (await claimNextDue(model, lease)) ? [{ leaseId: lease.id }] : [];
    },
    /** `read_at`: it was read then. */
    async end({ leaseId: lease }: ClaimedMailbox, fields: { dueAt: Date; read_at?: Date }): Promise<void> {
      await model.updateOne({ _id, lease }, { $set: fields, $unset: { lease: 1 } });
    },
    /** When it was last read; null before it was looked for first. */
    readAt: async (): Promise<Date | null> => (await model.findById(_id).lean<MailboxDocument>())?.read_at ?? null,
  };
}
