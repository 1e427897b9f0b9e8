import type { NewEvent } from '@app/contracts';
import type { TransactionalWrite } from '@app/messaging';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { isDuplicateKey, majorityRead } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import type { Ticket } from '../tickets/ticket.ts';
import { createTicketTimes } from '../tickets/ticket-times-store.ts';
import type { TicketDocument } from './document.ts';

/** A purchase order: whoever names another ticket or buyer names another one, whatever its id. */
export type PurchaseOrderKey = { purchase_id: string; ticket_id: string; buyer_company_id: string };

/** A document, and what is told of it. */
export type Making = (ticket: Ticket) => { document: TicketDocument; events: NewEvent[] };

/** What is told of a document. */
export type Telling = (document: TicketDocument) => NewEvent[];

export type DocumentStore = {
  /**
   * Adds what `make` makes of the ticket, whose `updated_at` is the time of it; `make` throws where the ticket takes none.
   * `alongside` is written in the same transaction. @throws AppError not_found `ticket_not_found`
   */
  add(ticketId: string, make: Making, alongside?: TransactionalWrite | null): Promise<TicketDocument>;
  /** As `add`; one that is there already stays as it is, and nothing is told again. */
  addOnce(document: TicketDocument, tell: (ticket: Ticket) => NewEvent[]): Promise<void>;
  /**
   * Shows the files of an order, those replaced too, to the supplier that became known, and tells of each once. `telling` is
   * asked only where there is one to be shown.
   */
  share(order: PurchaseOrderKey, supplierCompanyId: string, telling: () => Promise<Telling>): Promise<void>;
  /** Those of a ticket that `visible` lets through, ascending by id. */
  list(ticketId: string, visible: object, page: { limit: number; cursor?: string }): Promise<TicketDocument[]>;
  /** The document of that file. */
  byKey(ticketId: string, visible: object, key: string): Promise<TicketDocument | null>;
};

const documentSchema = new Schema<TicketDocument & WithOutbox>(
  { _id: { type: String, required: true }, ticket_id: { type: String, required: true } },
  { versionKey: false, collection: 'documents', strict: false },
);
addOutbox(documentSchema);
documentSchema.index({ ticket_id: 1, _id: 1 }, { name: 'ticket' });
documentSchema.index({ ticket_id: 1, 'file.key': 1 }, { name: 'key' });
documentSchema.index({ purchase_id: 1 }, { name: 'purchase', partialFilterExpression: { purchase_id: { $gt: '' } } });

type Deps = { connection: Connection; relay: Relay; now?: () => Date };

export function createDocumentStore({ connection, relay, now = () => new Date() }: Deps): DocumentStore {
  const times = createTicketTimes({ connection, now });
  const model = connection.model<TicketDocument & WithOutbox>('TicketDocument', documentSchema);
  relay.watch(model);

  async function add(ticketId: string, make: Making, alongside?: TransactionalWrite | null): Promise<TicketDocument> {
    const { document, outbox } = await connection.transaction(async (session) => {
      const made = make(await times.advance(ticketId, session));
      const told = toCloudEvents('ticket', made.events);
      await model.collection.insertOne({ ...made.document, outbox: told } as never, { session });
      await alongside?.(session);
      return { document: made.document, outbox: told };
    });
    relay.committed(model, document._id, outbox);
    return document;
  }

  return {
    add,
    async addOnce(document, tell) {
      const { _id, ticket_id } = document;
      // By this an event is acknowledged: no election may take it back.
      if (await model.collection.findOne({ _id } as never, { projection: { _id: 1 }, ...majorityRead })) return;
      try {
        await add(ticket_id, (ticket) => ({ document, events: tell(ticket) }));
      } catch (error) {
        if (!isDuplicateKey(error, '_id_')) throw error;
      }
    },
    async share({ purchase_id, ticket_id, buyer_company_id }, supplier_company_id, telling) {
      // Frozen once known (spec section 2.2): it is filled in, never changed.
      const open = { purchase_id, ticket_id, company_id: buyer_company_id, supplier_company_id: null };
      const unshared = await model.find(open, { outbox: 0 }).lean<TicketDocument[]>();
      if (unshared.length === 0) return;
      const tell = await telling();
      for (const document of unshared) {
        const outbox = toCloudEvents('ticket', tell({ ...document, supplier_company_id }));
        const { _id } = document;
        const update = { $set: { supplier_company_id }, $push: { outbox: { $each: outbox } } };
        const { matchedCount } = await model.collection.updateOne({ _id, ...open } as never, update as never);
        if (matchedCount > 0) relay.committed(model, _id, outbox);
      }
    },
    list(ticketId, visible, { limit, cursor }) {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      const found = model.find({ ticket_id: ticketId, ...visible, ...after }, { outbox: 0 }).sort({ _id: 1 });
      // Named: beside a cursor, the planner may take the index of `_id` alone and walk through every tenant's documents.
      return found.hint('ticket').limit(limit).lean<TicketDocument[]>();
    },
    byKey: (ticketId, visible, key) =>
      model.findOne({ ticket_id: ticketId, 'file.key': key, ...visible }, { outbox: 0 }).lean<TicketDocument>(),
  };
}
