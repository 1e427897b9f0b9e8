import type { InvoiceStatusReceived } from '@app/contracts';
import { isSameNumber } from '@app/matching';
import { collectionOf, documentSchema, type Logger, modelOf } from '@app/runtime';
import type { Connection } from 'mongoose';
import { numberLookupKey } from '../invoices/duplicates.ts';
import { invoiceCollection } from '../invoices/invoice-collection.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import { withReceivedStatus } from './received-status.ts';

export type ReceivedStatuses = ReturnType<typeof createReceivedStatuses>;

/** A status whose invoice is not here. By the driver: a message that comes twice is told by its id alone, and due ones are claimed. */
type Waiting = { _id: string; message: InvoiceStatusReceived; attempts: number; due_at: Date; forget_at: Date };

const schema = documentSchema<Waiting>('waiting_statuses');
schema.index({ due_at: 1 }, { name: 'due' });
schema.index({ forget_at: 1 }, { name: 'forgotten', expireAfterSeconds: 0 });

const keepMs = 30 * 24 * 3_600_000;
/** Message and invoice are fetched beside each other, so the first delay is short. */
const delaysMs = [5_000, 60_000, 600_000];
const laterMs = 3_600_000;
const batchSize = 50;
/** Invoices of one supplier with one number. */
const maxSame = 20;

type Deps = { connection: Connection; store: Pick<InvoiceStore, 'change'>; logger: Logger; now: () => Date };

export function createReceivedStatuses({ connection, store, logger, now }: Deps) {
  const waiting = collectionOf(modelOf(connection, 'WaitingStatus', schema));
  const invoices = invoiceCollection(connection);

  /** False if the invoice is not here. */
  async function apply(message: InvoiceStatusReceived): Promise<boolean> {
    const { client_id, provider, number, issue_date, supplier_siren } = message;
    if (supplier_siren === null) return false;
    const filter = { client_id, 'keys.lookupKeys': numberLookupKey(supplier_siren, number), provider };
    const projection = { 'canonical.number': 1, 'canonical.issueDate': 1 } as const;
    const found = await invoices.find(filter, { projection, hint: 'lookupKeys', limit: maxSame }).toArray();
    const same = found.filter(
      ({ canonical }) => canonical?.issueDate === issue_date && isSameNumber(canonical.number, number),
    );
    for (const { _id } of same) {
      await store.change(client_id, _id, (invoice) => withReceivedStatus(invoice, message, now()), { write: null });
    }
    return same.length > 0;
  }

  return {
    /** Notes the status on its invoice; if that is not here yet, the status waits for it. */
    async receive(message: InvoiceStatusReceived): Promise<void> {
      // Stored first: the invoice may come while it is looked for.
      const _id = `${message.client_id}/${message.provider}/${message.id}`;
      const due_at = new Date(now().getTime() + (delaysMs[0] as number));
      const record = { message, attempts: 1, due_at, forget_at: new Date(now().getTime() + keepMs) };
      await waiting.updateOne({ _id }, { $setOnInsert: record }, { upsert: true });
      if (await apply(message)) await waiting.deleteOne({ _id });
    },
    /** Tries again those that are due. @returns how many */
    async applyDue(): Promise<number> {
      const due = await waiting
        .find({ due_at: { $lte: now() } })
        .sort({ due_at: 1 })
        .limit(batchSize)
        .toArray();
      for (const { _id, due_at, attempts, message } of due) {
        const next = new Date(now().getTime() + (delaysMs[attempts] ?? laterMs));
        const claim = { $set: { due_at: next }, $inc: { attempts: 1 } };
        const { matchedCount } = await waiting.updateOne({ _id, due_at }, claim);
        if (matchedCount === 0 || !(await apply(message))) continue;
        await waiting.deleteOne({ _id });
        logger.debug('a status found its invoice', { clientId: message.client_id, status: message.status });
      }
      return due.length;
    },
  };
}
