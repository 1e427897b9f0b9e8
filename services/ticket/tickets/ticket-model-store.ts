import { addOutbox, type WithOutbox } from '@app/messaging';
import { type Connection, type Model, Schema } from 'mongoose';
import type { Ticket } from './ticket.ts';
import type { Buckets } from './ticket-buckets.ts';

/** Buckets are absent on tickets of before they were kept, until the service has started once more. */
export type StoredTicket = Ticket & WithOutbox & Partial<Buckets>;

/**
 * Dates in partial indexes are told from null by this. By their type they would be told too, but then MongoDB can't see
 * that a range of dates lies within, and a query that names the index walks through all of it.
 */
export const epoch = new Date(0);

const ticketSchema = new Schema<StoredTicket>(
  { _id: { type: String, required: true }, version: { type: Number, required: true } },
  // The shape is `Ticket`, kept by the compiler: rules return whole tickets and nothing else writes here.
  { versionKey: false, collection: 'tickets', strict: false },
);
addOutbox(ticketSchema);
ticketSchema.index({ 'views.company_id': 1, _id: 1 }, { name: 'view' });
ticketSchema.index({ 'views.company_id': 1, 'views.status': 1, typology_id: 1, _id: 1 }, { name: 'status' });
ticketSchema.index({ 'views.company_id': 1, typology_id: 1, _id: 1 }, { name: 'typology' });
ticketSchema.index({ 'views.company_id': 1, client_id: 1, _id: 1 }, { name: 'client' });
ticketSchema.index({ 'views.company_id': 1, updated_at: 1 }, { name: 'updated' });
ticketSchema.index(
  { 'views.company_id': 1, assigned_at: 1 },
  { name: 'assigned', partialFilterExpression: { assigned_at: { $gt: epoch } } },
);
// The last field lets MongoDB leave out what is too early in the first bucket without reading the ticket.
ticketSchema.index({ 'views.company_id': 1, updated_bucket: 1, _id: 1, updated_at: 1 }, { name: 'updated_in_order' });
ticketSchema.index(
  { 'views.company_id': 1, assigned_bucket: 1, _id: 1, assigned_at: 1 },
  { name: 'assigned_in_order', partialFilterExpression: { assigned_at: { $gt: epoch } } },
);
ticketSchema.index({ 'views.company_id': 1, number: 1, _id: -1 }, { name: 'number' });
ticketSchema.index({ due_at: 1 }, { name: 'due', partialFilterExpression: { due_at: { $gt: epoch } } });
ticketSchema.index({ 'views.contractor_id': 1, 'views.company_id': 1 }, { name: 'contractor', sparse: true });

/** The collection of tickets, which several stores share; whoever asks first declares it. */
export function ticketModel(connection: Connection): Model<StoredTicket> {
  const declared = connection.models['Ticket'] as Model<StoredTicket> | undefined;
  return declared ?? connection.model<StoredTicket>('Ticket', ticketSchema);
}
