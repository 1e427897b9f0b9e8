import type { NewEvent } from '@app/contracts';
import { addOutbox, type Relay, seal, type WithOutbox } from '@app/messaging';
import { type Connection, Schema } from 'mongoose';
import type { TicketDocument } from './document.ts';

export type DocumentStore = {
  add(document: TicketDocument, events: NewEvent[]): Promise<void>;
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

export function createDocumentStore({ connection, relay }: { connection: Connection; relay: Relay }): DocumentStore {
  const model = connection.model<TicketDocument & WithOutbox>('TicketDocument', documentSchema);
  relay.watch(model);
  return {
    async add(document, events) {
      const outbox = seal('ticket', events);
      await model.collection.insertOne({ ...document, outbox } as never);
      relay.committed(model, document._id, outbox);
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
