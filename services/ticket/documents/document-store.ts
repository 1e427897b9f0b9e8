import type { NewEvent } from '@app/contracts';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { documentSchema, isDuplicateKey } from '@app/runtime';
import { type ProtectedWrite, type TransactionalWrite, transactionOnce } from '@app/runtime/idempotency';
import type { Connection, Model } from 'mongoose';
import { createTicketTimes } from '../tickets/stores/ticket-times-store.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { TicketDocument } from './document.ts';

/** A purchase order. Ticket and buyer are part of the key, so that an id alone never reaches another tenant's order. */
export type PurchaseKey = { purchase_id: string; ticket_id: string; buyer_company_id: string };

/** Makes a document of the ticket, with its events. `updated_at` of the ticket is the time of the document. */
type MakeDocument = (ticket: Ticket) => { document: TicketDocument; events: NewEvent[] };

type AddOptions = { write: ProtectedWrite | null; alongside?: TransactionalWrite | null };

export type DocumentStore = ReturnType<typeof createDocumentStore>;

type StoredDocument = TicketDocument & WithOutbox;

const schema = documentSchema<StoredDocument>('documents');
addOutbox(schema);
schema.index({ ticket_id: 1, _id: 1 }, { name: 'ticket' });
schema.index({ ticket_id: 1, 'file.key': 1 }, { name: 'key' });
schema.index({ purchase_id: 1 }, { name: 'purchase', partialFilterExpression: { purchase_id: { $gt: '' } } });

const projection = { outbox: 0 } as const;

type Deps = { connection: Connection; relay: Relay; now?: () => Date };

export function createDocumentStore({ connection, relay, now = () => new Date() }: Deps) {
  const times = createTicketTimes({ connection, now });
  const model = connection.model<StoredDocument>('TicketDocument', schema);
  relay.watch(model);

  async function add(ticketId: string, make: MakeDocument, { write, alongside }: AddOptions) {
    const { document, outbox } = await transactionOnce(write, connection, async (session) => {
      const { document, events } = make(await times.advance(ticketId, session));
      const added = { document, outbox: toCloudEvents('ticket', events) };
      await model.create([{ ...document, outbox: added.outbox }], { session });
      await alongside?.(session);
      return added;
    });
    relay.committed(model, document._id, outbox);
    return document;
  }

  return {
    /**
     * Adds what `make` returns. `write`: of the request. `alongside` is written in the same transaction.
     * @throws AppError not_found `ticket_not_found`, and what `make` throws
     */
    add,
    /** As `add`; a document that exists already stays as it is, without new events. */
    async addOnce(document: TicketDocument, events: (ticket: Ticket) => NewEvent[]): Promise<void> {
      const { _id, ticket_id } = document;
      const exists = async () => (await model.exists({ _id })) !== null;
      if (await exists()) return;
      try {
        await add(ticket_id, (ticket) => ({ document, events: events(ticket) }), { write: null });
      } catch (error) {
        if (!isDuplicateKey(error, '_id_') || !(await exists())) throw error;
      }
    },
    /**
     * Shows the files of an order, replaced ones too, to its supplier that became known, each with its events once.
     * `prepare` is called only if there is such a file.
     */
    async share(
      { purchase_id, ticket_id, buyer_company_id }: PurchaseKey,
      supplier_company_id: string,
      prepare: () => Promise<(document: TicketDocument) => NewEvent[]>,
    ): Promise<void> {
      // The supplier of an order is set once and never changes.
      const unshared = { purchase_id, ticket_id, company_id: buyer_company_id, supplier_company_id: null };
      const found = await model.find(unshared, projection).lean<TicketDocument[]>();
      if (found.length === 0) return;
      const eventsOf = await prepare();
      for (const document of found) {
        const outbox = toCloudEvents('ticket', eventsOf({ ...document, supplier_company_id }));
        const { _id } = document;
        const update = { $set: { supplier_company_id }, $push: { outbox: { $each: outbox } } };
        const { matchedCount } = await model.updateOne({ _id, ...unshared }, update);
        if (matchedCount > 0) relay.committed(model, _id, outbox);
      }
    },
    ...reads(model),
  };
}

function reads(model: Model<StoredDocument>) {
  return {
    /** Documents of a ticket that match the filter `visible`, ascending by id. */
    list(
      ticketId: string,
      visible: object,
      { limit, cursor }: { limit: number; cursor?: string },
    ): Promise<TicketDocument[]> {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      // With a cursor the planner may take the index of `_id`, and scan every tenant's documents.
      const found = model.find({ ticket_id: ticketId, ...visible, ...after }, projection).hint('ticket');
      return found.sort({ _id: 1 }).limit(limit).lean<TicketDocument[]>().exec();
    },
    /** The newest documents of a ticket that match the filter `visible`, in no order. */
    newest: (ticketId: string, visible: object, limit: number): Promise<TicketDocument[]> =>
      model
        .find({ ticket_id: ticketId, ...visible }, projection)
        .hint('ticket')
        .sort({ _id: -1 })
        .limit(limit)
        .lean<TicketDocument[]>()
        .exec(),
    /** The document of a file. */
    byKey: (ticketId: string, visible: object, key: string): Promise<TicketDocument | null> =>
      model
        .findOne({ ticket_id: ticketId, 'file.key': key, ...visible }, projection)
        .lean<TicketDocument>()
        .exec(),
  };
}
