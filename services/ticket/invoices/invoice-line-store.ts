import type { InvoiceLineSnapshot, NewEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { addOutbox, createOutboxWriter, type Relay, type WithOutbox } from '@app/messaging';
import { collectionOf, conflict, documentSchema, isDuplicateKey, retryOnConflict } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type InvoiceLine, invoiceLine, type LineOnTicket, logOf, type SavedLine } from './invoice-line.ts';

export type InvoiceLineStore = ReturnType<typeof createInvoiceLineStore>;

type Saving = {
  /** The time at which it is saved. */
  at: Date;
  /** What `find` has just returned; undefined if it was not called. */
  current?: InvoiceLine | null | undefined;
  /** Runs again if another write came between. */
  events: (before: InvoiceLine | null, after: SavedLine) => NewEvent[];
};

type StoredLine = InvoiceLine & WithOutbox;

/** Far more lines than a page of tickets ever has. */
const maxLines = 20_000;
const projection = { outbox: 0 } as const;
const shownFields = { outbox: 0, log: 0 } as const;

const schema = documentSchema<StoredLine>('invoice_lines');
addOutbox(schema);
// Lines that were taken off their ticket stay stored, since their version is needed, but are not in
// this index.
schema.index(
  { ticket_id: 1, view_id: 1, _id: 1 },
  { name: 'shown', partialFilterExpression: { ticket_id: { $gt: '' } } },
);
schema.index({ 'log.ticket_id': 1 }, { name: 'log', sparse: true });

type Deps = { connection: Connection; relay: Relay };

export function createInvoiceLineStore({ connection, relay }: Deps) {
  const model = connection.model<StoredLine>('InvoiceLine', schema);
  // By the driver: every page of tickets reads here, and lines are written whole with each version of an invoice.
  const lines = collectionOf(model);
  const writes = createOutboxWriter<InvoiceLine>({ model, relay, service: 'ticket' });
  relay.watch(model);

  const find = (id: string): Promise<InvoiceLine | null> => lines.findOne({ _id: id }, { projection });

  /** False if another version was written in between. */
  async function save(before: InvoiceLine | null, after: InvoiceLine, events: NewEvent[]): Promise<boolean> {
    const { _id, ...fields } = after;
    if (before) return writes.update({ filter: { _id, version: before.version }, update: { $set: fields }, events });
    try {
      await writes.insert(after, events, null);
      return true;
    } catch (error) {
      if (isDuplicateKey(error, '_id_')) return false;
      throw error;
    }
  }

  return {
    /** The stored line of an invoice. */
    find,
    /**
     * Saves a line with its events, unless this version of it or a newer one is stored.
     * @returns the saved line; null if nothing was saved
     * @throws AppError not_found `invoice_not_found` for an invoice of another client, overloaded `invoice_busy`
     */
    saveIfNewer(snapshot: InvoiceLineSnapshot, { at, current, events }: Saving): Promise<SavedLine | null> {
      const line = invoiceLine(snapshot);
      const attempt = async (number: number) => {
        const before = number === 0 && current !== undefined ? current : await find(line._id);
        if (before && before.client_id !== line.client_id) throw notFound();
        if (before && before.version >= line.version) return null;
        const saved = { ...line, kept_at: at, former_ticket_id: before?.ticket_id ?? null };
        const after = { ...saved, log: logOf(before, saved, snapshot) };
        return (await save(before, after, events(before, after))) ? after : conflict;
      };
      return retryOnConflict(attempt, { code: 'invoice_busy', what: 'this invoice' });
    },
    /** The lines on these tickets, by ticket id; only those on `viewIds`, if given. One query. */
    async listByTicket(ticketIds: string[], viewIds?: string[]): Promise<Map<string, LineOnTicket[]>> {
      const filter = { ticket_id: { $in: ticketIds }, ...(viewIds ? { view_id: { $in: viewIds } } : {}) };
      const found = lines.find(filter, { hint: 'shown', batchSize: maxLines, projection: shownFields }).limit(maxLines);
      const onTickets = (await found.toArray()) as LineOnTicket[];
      // By creation: ids begin with the second in which the invoice was created.
      const sorted = onTickets.sort((one, other) => (one._id < other._id ? -1 : 1));
      return Map.groupBy(sorted, ({ ticket_id }) => ticket_id);
    },
    /** The lines that are, or ever were, on this ticket, with their logs. */
    async everOn(ticketId: string): Promise<InvoiceLine[]> {
      const options = { hint: 'log', batchSize: maxLines, projection };
      return lines.find({ 'log.ticket_id': ticketId }, options).limit(maxLines).toArray();
    },
  };
}

function notFound(): AppError {
  return new AppError('not_found', 'invoice_not_found', 'there is no such invoice');
}
