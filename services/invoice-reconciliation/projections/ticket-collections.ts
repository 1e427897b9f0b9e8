import type { PurchaseSnapshot } from '@app/contracts';
import { collectionOf, documentSchema, modelOf } from '@app/runtime';
import type { Connection, Model, mongo } from 'mongoose';
import type { StoredTicket } from './ticket-projection.ts';

/**
 * A purchase document that its ticket's projection cannot hold: the ticket is not known yet, or the document is deleted and
 * must not come back with a late message.
 */
export type PurchaseRecord = { _id: string; version: number; ticket_id: string; snapshot: PurchaseSnapshot };

const ticketSchema = documentSchema<StoredTicket>('ticket_projections');
const onlyOpen = { partialFilterExpression: { open: true } };
ticketSchema.index({ client_id: 1, keys: 1 }, { name: 'keys', ...onlyOpen });
ticketSchema.index({ client_id: 1, amounts: 1 }, { name: 'amounts', ...onlyOpen });
ticketSchema.index(
  { client_id: 1, contractor_ids: 1, updated_at: -1, created_at: 1 },
  { name: 'supplier', ...onlyOpen },
);
ticketSchema.index({ client_id: 1, words: 1, updated_at: -1 }, { name: 'words', ...onlyOpen });
ticketSchema.index({ client_id: 1, location_ids: 1, _id: 1 }, { name: 'place' });
ticketSchema.index(
  { rematch_revision: 1 },
  { name: 'dirty', partialFilterExpression: { rematch_revision: { $gt: 0 } } },
);

const purchaseSchema = documentSchema<PurchaseRecord>('purchase_projections');
purchaseSchema.index({ ticket_id: 1, 'snapshot.deleted': 1 }, { name: 'ticket' });

/** By the driver: tickets are written with every event of theirs, as one text. */
export function ticketCollections(connection: Connection): {
  tickets: mongo.Collection<StoredTicket>;
  purchases: Model<PurchaseRecord>;
} {
  return {
    tickets: collectionOf(modelOf(connection, 'TicketProjection', ticketSchema)),
    purchases: modelOf(connection, 'PurchaseProjection', purchaseSchema),
  };
}
