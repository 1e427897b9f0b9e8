import type { InvoiceLineSnapshot, NewEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { addOutbox, createOutboxWriter, type Relay, type WithOutbox } from '@app/messaging';
import { createBatcher, isDuplicateKey, majorityRead } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import { type InvoiceLine, invoiceLine, type LineOnTicket, type SavedLine } from './invoice-line.ts';

export type InvoiceLineStore = {
  /**
   * Keeps a line with what it tells, at a time: null where this version of it or a newer one is there. `tell` may run again,
   * on what is kept by then. `known`: what `find` gave just now.
   * @throws AppError not_found `invoice_not_found` for an invoice that is another client's
   */
  saveIfNewer(facts: InvoiceLineSnapshot, keeping: Keeping): Promise<SavedLine | null>;
  /** What is kept of an invoice. */
  find(invoiceId: string): Promise<InvoiceLine | null>;
  /** Lines on the tickets, by ticket; only those of the views, if given. One query for a page. */
  listByTicket(ticketIds: string[], viewIds?: string[]): Promise<Map<string, LineOnTicket[]>>;
};

type Keeping = {
  at: Date;
  known?: InvoiceLine | null | undefined;
  tell: (before: InvoiceLine | null, after: SavedLine) => NewEvent[];
};

const keepAttempts = 20;
const askedAtOnce = 100;
/** Of a page: far more than invoices ever stand on the tickets of one. */
const shownLimit = 20_000;

const schema = new Schema<InvoiceLine & WithOutbox>(
  { _id: { type: String, required: true }, version: { type: Number, required: true } },
  { versionKey: false, collection: 'invoice_lines', strict: false },
);
addOutbox(schema as unknown as Schema);
// Lines that were taken away stay, for their version, and are in no index but that of their id.
schema.index(
  { ticket_id: 1, view_id: 1, _id: 1 },
  { name: 'shown', partialFilterExpression: { ticket_id: { $gt: '' } } },
);

export function createInvoiceLineStore({
  connection,
  relay,
}: {
  connection: Connection;
  relay: Relay;
}): InvoiceLineStore {
  const model = connection.model<InvoiceLine & WithOutbox>('InvoiceLine', schema);
  const lines = model.collection;
  relay.watch(model);

  const writes = createOutboxWriter<InvoiceLine>({ model, relay, service: 'ticket' });

  /** Lines that are asked for at once are one question. By what it says events are acknowledged, so it must not be taken back. */
  async function loadAll(ids: string[]): Promise<(InvoiceLine | null)[]> {
    const options = { projection: { outbox: 0 }, ...majorityRead };
    const found = lines.find({ _id: { $in: ids } } as never, options);
    const byId = new Map(((await found.toArray()) as unknown as InvoiceLine[]).map((line) => [line._id, line]));
    return ids.map((id) => byId.get(id) ?? null);
  }
  const loads = createBatcher({ maxBatch: askedAtOnce, run: (ids: string[]) => loadAll(ids) });

  /** False where another version was written in between. */
  async function save(before: InvoiceLine | null, after: InvoiceLine, events: NewEvent[]): Promise<boolean> {
    const { _id, ...fields } = after;
    if (before) return writes.update({ filter: { _id, version: before.version }, update: { $set: fields }, events });
    try {
      await writes.insert(after, events);
      return true;
    } catch (error) {
      if (isDuplicateKey(error, '_id_')) return false;
      throw error;
    }
  }

  return {
    async saveIfNewer(facts, { at, known, tell }) {
      const line = invoiceLine(facts);
      for (let attempt = 0; attempt < keepAttempts; attempt++) {
        const before = attempt === 0 && known !== undefined ? known : await loads.add(line._id);
        if (before && before.client_id !== line.client_id) throw notFound();
        if (before && before.version >= line.version) return null;
        const after = { ...line, kept_at: at, former_ticket_id: before?.ticket_id ?? null };
        if (await save(before, after, tell(before, after))) return after;
      }
      throw new AppError('overloaded', 'invoice_busy', 'this invoice is being changed by many requests; try again');
    },
    find: (invoiceId) => loads.add(invoiceId),
    async listByTicket(ticketIds, viewIds) {
      const filter = { ticket_id: { $in: ticketIds }, ...(viewIds ? { view_id: { $in: viewIds } } : {}) };
      const found = lines.find(filter as never, { hint: 'shown', batchSize: shownLimit, projection: { outbox: 0 } });
      const standing = (await found.limit(shownLimit).toArray()) as unknown as LineOnTicket[];
      // By id, which begins with the second of the invoice's making, whichever views they stand on.
      const sorted = standing.sort((one, other) => (one._id < other._id ? -1 : 1));
      return Map.groupBy(sorted, ({ ticket_id }) => ticket_id);
    },
  };
}

function notFound(): AppError {
  return new AppError('not_found', 'invoice_not_found', 'there is no such invoice');
}
