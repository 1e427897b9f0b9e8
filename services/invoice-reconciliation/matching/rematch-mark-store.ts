// The write of a projection only notes that its invoices need matching: to mark them there cost five commands an event. Starting
// the work removes the mark, so that a later change marks again.
import type { Connection, mongo } from 'mongoose';
import { type InvoiceRecord, invoiceCollection } from '../invoices/invoice-collection.ts';

/** Changes of tickets or of a contractor, by the fields that find invoices of the queue. */
type DirectoryChange = {
  client_id: string;
  references?: string[];
  amounts?: string[];
  ticketIds?: string[];
  siren?: string | null;
  contractorIds?: string[];
};

export type RematchMarks = ReturnType<typeof createRematchMarkStore>;

/** How many invoices a change marks. If several tickets changed: as many for each of up to `maxTickets`. */
const maxMarked = 500;
const maxTickets = 10;
/** The rematches of a supplier's invoices are spread over this time, so that they do not delay those of others. */
const spreadMs = 300_000;

const queued = { state: 'ticket_unmatched' as const, rematch_at: null };

export function createRematchMarkStore({ connection }: { connection: Connection }) {
  const invoices = invoiceCollection(connection);
  return {
    /** Marks the invoices of the queue that the changes may concern, to be matched again at `at`; marked ones keep their time. */
    async mark(change: DirectoryChange, at: Date): Promise<void> {
      const { client_id, ticketIds = [], siren } = change;
      const branches = branchesOf(change);
      if (branches.length === 0) return;
      const limit = maxMarked * Math.max(1, Math.min(ticketIds.length, maxTickets));
      const found = await invoices.find({ $or: branches }, { projection: { _id: 1 }, limit }).toArray();
      const ids = found.map(({ _id }) => _id);
      if (ids.length > 0) await invoices.updateMany({ _id: { $in: ids }, ...queued }, { $set: { rematch_at: at } });
      if (siren && ids.length === limit) await markSupplierUnknown(invoices, { client_id, siren, at });
    },
    /** Has figures count the invoices on these tickets anew: their places are those of the tickets. */
    async countAgain(client_id: string, ids: string[]): Promise<void> {
      const uncounted = [client_id];
      await invoices.updateMany({ client_id, ticket_id: { $in: ids } }, { $set: { uncounted } }, { hint: 'linked' });
    },
  };
}

function branchesOf(change: DirectoryChange): mongo.Filter<InvoiceRecord>[] {
  const { client_id, references = [], amounts = [], ticketIds = [], siren, contractorIds = [] } = change;
  const conditions = [
    references.length > 0 ? { 'keys.references': { $in: references } } : null,
    amounts.length > 0 ? { 'keys.amounts': { $in: amounts } } : null,
    ticketIds.length > 0 ? { 'suggestions.ticketId': { $in: ticketIds } } : null,
    siren ? { 'keys.siren': siren } : null,
    // Last, because these may be many; its index returns the newest first.
    contractorIds.length > 0 ? { supplier_ids: { $in: contractorIds } } : null,
  ];
  return conditions.flatMap((condition) => (condition ? [{ client_id, ...queued, ...condition }] : []));
}

/** All invoices with this SIREN whose supplier is unknown, at random times. */
async function markSupplierUnknown(
  invoices: mongo.Collection<InvoiceRecord>,
  { client_id, siren, at }: { client_id: string; siren: string; at: Date },
): Promise<void> {
  const rematch_at = { $add: [at, { $multiply: [{ $rand: {} }, spreadMs] }] };
  const unknown = { client_id, 'keys.siren': siren, supplier_id: null, ...queued };
  await invoices.updateMany(unknown, [{ $set: { rematch_at } }], { hint: 'siren' });
}
