import { ticketDocumentAdded } from '@app/contracts';
import { createRelay } from '@app/messaging';
import { ensureIndexes } from '@app/runtime';
import { eventually, testDatabase, testLogger } from '@app/testing';
import { createDocumentStore, type DocumentStore } from '../../documents/document-store.ts';
import { purchaseFileAdded, purchaseFileDocument } from '../../purchases/purchase-file-document.ts';
import { PurchaseProjection } from '../../purchases/purchase-projection.ts';
import { createPurchaseProjectionStore } from '../../purchases/purchase-projection-store.ts';
import { createTicketSummaryStore } from '../../tickets/stores/ticket-summary-store.ts';
import { createTicketTimes } from '../../tickets/stores/ticket-times-store.ts';
import { aContractor, clientId, worked } from '../tickets/fixtures.ts';
import { aPurchase, withFile } from './fixtures.ts';

const now = () => new Date();
const only = (company: string) => ({ audience: [company] });

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** What a process of its own has, and what it published. */
function parts() {
  const { connection } = database;
  const published: { type: string; data: unknown }[] = [];
  const publish = async (events: { type: string; data: unknown }[]) => void published.push(...events);
  const relay = createRelay({ broker: { publish }, logger: testLogger() });
  const documents = createDocumentStore({ connection, relay });
  const summaries = createTicketSummaryStore({ connection });
  const times = createTicketTimes({ connection, now });
  const stores = { store: createPurchaseProjectionStore({ connection }), documents, summaries, times, now };
  return { connection, published, stores, projection: new PurchaseProjection(stores) };
}

test('a supplier that becomes known between its lookup and the write of the file still sees the file', async () => {
  const { connection, published, stores, projection: other } = parts();
  const { documents } = stores;
  await ensureIndexes(connection);
  const contractor = aContractor();
  const ticket = worked('assigned', contractor);
  await connection.collection('tickets').insertOne(ticket as never);
  const { purchase, document } = withFile(aPurchase({ ticket: ticket._id, buyer: clientId }));

  // At that moment another process handles the event with the supplier completely.
  const known = { ...purchase, version: 3, supplier_company_id: contractor.companyId };
  const inBetween: DocumentStore = {
    ...documents,
    async addOnce(added, makeEvents) {
      await other.apply(known, ticket);
      await documents.addOnce(added, makeEvents);
    },
  };
  await new PurchaseProjection({ ...stores, documents: inBetween }).attachFile(document, ticket);

  const stored = await connection.model('TicketDocument').find({ ticket_id: ticket._id }).lean();
  expect(stored).toMatchObject([{ _id: document.id, supplier_company_id: contractor.companyId }]);
  await eventually(() =>
    expect(published).toMatchObject(
      [clientId, contractor.companyId].map((one) => ({ type: ticketDocumentAdded.type, data: only(one) })),
    ),
  );
});

test('after a crash between the projection and the files of an order, the redelivered event completes them', async () => {
  const { connection, published, stores, projection } = parts();
  const { store } = stores;
  const contractor = aContractor();
  const ticket = worked('assigned', contractor);
  const { purchase, document } = withFile(aPurchase({ ticket: ticket._id, buyer: clientId }));
  await connection.collection('tickets').insertOne(ticket as never);
  await projection.apply(purchase, ticket);
  await projection.attachFile(document, ticket);
  const known = { ...purchase, version: 3, supplier_company_id: contractor.companyId };
  await store.upsertIfNewer(known);

  await projection.applyEvent(known);
  await projection.applyEvent(known);
  const [stored] = await connection.model('TicketDocument').find({ ticket_id: ticket._id }).lean();
  expect(stored).toMatchObject({ _id: document.id, supplier_company_id: contractor.companyId });
  await eventually(() =>
    expect(published.map(({ data }) => data)).toMatchObject([clientId, contractor.companyId].map(only)),
  );
});

test('after a crash between a file and the second lookup of its supplier, the redelivered event completes it', async () => {
  const { connection, published, stores, projection } = parts();
  const { store, documents } = stores;
  const contractor = aContractor();
  const ticket = worked('assigned', contractor);
  await connection.collection('tickets').insertOne(ticket as never);
  const { purchase, document } = withFile(aPurchase({ ticket: ticket._id, buyer: clientId }));
  const unknown = purchaseFileDocument(document, null);
  await documents.addOnce(unknown, (current) => [purchaseFileAdded(current, unknown)]);
  await store.upsertIfNewer({ ...purchase, version: 3, supplier_company_id: contractor.companyId });

  await projection.attachFileFromEvent(document);
  await projection.attachFileFromEvent(document);
  const [stored] = await connection.model('TicketDocument').find({ ticket_id: ticket._id }).lean();
  expect(stored).toMatchObject({ _id: document.id, supplier_company_id: contractor.companyId });
  await eventually(() =>
    expect(published.map(({ data }) => data)).toMatchObject([clientId, contractor.companyId].map(only)),
  );
});

test('a crash before the projection is written causes a needless lookup, never a projection that no read finds', async () => {
  const { connection, stores } = parts();
  const dying = { ...stores.store, upsertIfNewer: () => Promise.reject(new Error('killed')) };
  const projection = new PurchaseProjection({ ...stores, store: dying });
  const ticket = worked('assigned', aContractor());
  await connection.collection('tickets').insertOne(ticket as never);
  const { purchase } = withFile(aPurchase({ ticket: ticket._id, buyer: clientId }));
  await expect(projection.apply(purchase, ticket)).rejects.toThrow('killed');
  expect(await connection.collection('tickets').findOne({ _id: ticket._id as never })).toMatchObject({
    has_purchases: true,
  });
});
