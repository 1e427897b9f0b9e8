import { newId } from '@app/kernel';
import type { Db, MongoClient } from 'mongodb';
import { insertInBatches } from '../harness/platform/insert-in-batches.ts';

const perTicket = 50;

type Population = { client: MongoClient; companyId: string; size: number; progress: (done: number) => void };

/**
 * Purchase documents of this company on tickets that do not exist, fifty on each: the documents of the purchase service and
 * the projections of the ticket service.
 */
export async function populatePurchases({ client, companyId, size, progress }: Population): Promise<void> {
  const [purchases, copies] = [
    collection(client.db('purchase'), 'purchases'),
    collection(client.db('ticket'), 'purchase_copies'),
  ];
  const options = { ordered: false, writeConcern: { w: 1, journal: false } } as const;
  let ticketId = newId();
  await insertInBatches(size, progress, async (from, length) => {
    const batch = Array.from({ length }, (_, index) => {
      if ((from + index) % perTicket === 0) ticketId = newId();
      return document({ ticketId, companyId, number: from + index });
    });
    await Promise.all([
      purchases.insertMany(batch, options),
      copies.insertMany(
        batch.map((one) => ({ ...one, seen_by: [companyId] })),
        options,
      ),
    ]);
  });
}

function collection(database: Db, name: string) {
  return database.collection<{ _id: string }>(name);
}

function document({ ticketId, companyId, number }: { ticketId: string; companyId: string; number: number }) {
  const at = new Date();
  return {
    _id: newId(),
    version: 1,
    ticket_id: ticketId,
    ticket: { number: 'T-000001', title: 'Cold room too warm' },
    kind: 'purchase_order',
    buyer_company_id: companyId,
    supplier_company_id: null,
    contractor_id: null,
    assignment_version: 0,
    place: number % perTicket,
    reference: `OLD-${String(number).padStart(10, '0')}`,
    source_system: 'bench',
    quote_id: null,
    purchase_order_id: null,
    date: at,
    amount: 1284.5,
    document_id: null,
    s3_key: null,
    from_api: true,
    created_at: at,
    created_by: companyId,
    updated_at: at,
    updated_by: companyId,
    deleted: false,
  };
}
