import { ticketDocumentAdded } from '@app/contracts';
import { createRelay } from '@app/messaging';
import { ensureIndexes, eventually, testDatabase, testLogger } from '@app/testing';
import { createDocumentStore, type DocumentStore } from '../../documents/document-store.ts';
import { purchaseFileAdded, purchaseFileDocument } from '../../purchases/purchase-file-document.ts';
import { PurchaseProjection } from '../../purchases/purchase-projection.ts';
import { createPurchaseProjectionStore } from '../../purchases/purchase-projection-store.ts';
import { createTicketSummaryStore } from '../../tickets/stores/ticket-summary-store.ts';
import { createTicketTimes } from '../../tickets/stores/ticket-times-store.ts';
import { aContractor, clientId, worked } from '../tickets/fixtures.ts';
import { aPurchase, withFile } from './fixtures.ts';

const now = () => new Date();

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** What a process of its own has and what it published, with the file of an order whose supplier is known later. */
async function aLateSupplier() {
  const { connection } = database;
  const contractor = aContractor();
  const ticket = worked('assigned', contractor);
  await connection.collection('tickets').insertOne(ticket as never);
  const { purchase, document } = withFile(aPurchase({ ticket: ticket._id, buyer: clientId }));
  const known = { ...purchase, version: 3, supplier_company_id: contractor.companyId };
  const published: { type: string; data: unknown }[] = [];
  const publish = async (events: { type: string; data: unknown }[]) => void published.push(...events);
  const relay = createRelay({ broker: { publish }, logger: testLogger() });
  const documents = createDocumentStore({ connection, relay });
  const summaries = createTicketSummaryStore({ connection });
  const times = createTicketTimes({ connection, now });
  const stores = { store: createPurchaseProjectionStore({ connection }), documents, summaries, times, now };
  await ensureIndexes(connection);
  /** The file is shared with the supplier, and client and supplier got one event each, in this order. */
  async function expectShared(): Promise<void> {
    const stored = await connection.model('TicketDocument').find({ ticket_id: ticket._id }).lean();
    expect(stored).toMatchObject([{ _id: document.id, supplier_company_id: contractor.companyId }]);
    const events = [clientId, contractor.companyId].map((one) => ({
      type: ticketDocumentAdded.type,
      data: { audience: [one] },
    }));
    await eventually(() => expect(published).toMatchObject(events));
  }
  return { ticket, purchase, document, known, stores, projection: new PurchaseProjection(stores), expectShared };
}

test('a supplier that becomes known between its lookup and the write of the file still sees the file', async () => {
  const { ticket, document, known, stores, projection: other, expectShared } = await aLateSupplier();
  // At that moment another process handles the event with the supplier completely.
  const inBetween: DocumentStore = {
    ...stores.documents,
    async addOnce(added, makeEvents) {
      await other.apply(known, ticket);
      await stores.documents.addOnce(added, makeEvents);
    },
  };
  await new PurchaseProjection({ ...stores, documents: inBetween }).attachFile(document, ticket);
  await expectShared();
});

test('after a crash between the projection and the files of an order, the redelivered event completes them', async () => {
  const { ticket, purchase, document, known, stores, projection, expectShared } = await aLateSupplier();
  await projection.apply(purchase, ticket);
  await projection.attachFile(document, ticket);
  await stores.store.upsertIfNewer(known);
  for (const _twice of [1, 2]) await projection.applyEvent(known);
  await expectShared();
});

test('after a crash between a file and the second lookup of its supplier, the redelivered event completes it', async () => {
  const { document, known, stores, projection, expectShared } = await aLateSupplier();
  const unknown = purchaseFileDocument(document, null);
  await stores.documents.addOnce(unknown, (current) => [purchaseFileAdded(current, unknown)]);
  await stores.store.upsertIfNewer(known);
  for (const _twice of [1, 2]) await projection.attachFileFromEvent(document);
  await expectShared();
});

test('a crash before the projection is written causes a needless lookup, never a projection that no read finds', async () => {
  const { ticket, purchase, stores } = await aLateSupplier();
  const dying = { ...stores.store, upsertIfNewer: () => Promise.reject(new Error('killed')) };
  await expect(new PurchaseProjection({ ...stores, store: dying }).apply(purchase, ticket)).rejects.toThrow('killed');
  const stored = await database.connection.collection('tickets').findOne({ _id: ticket._id as never });
  expect(stored).toMatchObject({ has_purchases: true });
});

test('a push and its event that come together are written once', async () => {
  const { ticket, purchase, stores } = await aLateSupplier();
  const written: unknown[] = [];
  const counted: typeof stores.store = {
    ...stores.store,
    upsertIfNewer(one) {
      written.push(one);
      return stores.store.upsertIfNewer(one);
    },
  };
  const projection = new PurchaseProjection({ ...stores, store: counted });
  await Promise.all([
    projection.applyEvent(purchase),
    projection.apply(purchase, ticket),
    projection.applyEvent(purchase),
  ]);
  expect(written).toEqual([purchase]);
});
