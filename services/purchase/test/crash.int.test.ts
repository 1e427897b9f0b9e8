import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ticketPurchaseAdded } from '@app/contracts';
import { createApp as createHttpApp } from '@app/http';
import { createRelay } from '@app/messaging';
import { createUploads } from '@app/storage';
import { aCaller, eventually, testLogger, verifyTestToken } from '@app/testing';
import { purchaseRoutes } from '../app.ts';
import { createDossierStore, type DossierStore } from '../dossier-store.ts';
import { createIssue } from '../issue.ts';
import { createPurchaseStore, type PurchaseStore } from '../purchase-store.ts';
import { createTicketClient } from '../ticket-client.ts';
import type { TicketContext } from '../ticket-context.ts';
import { anOrder, clientOf, type Purchases, startPurchases } from './purchase-service.ts';

let service: Purchases;

beforeAll(async () => {
  service = await startPurchases();
});
afterAll(() => service.drop());

/** A call between two lines, `part.method`; the process dies before it is made, or after it is done. */
type Death = { at: string; when: 'before' | 'after' };

/** The part given, of which a call is the last thing that happens: whoever made it hears nothing of it any more. */
function dying<T extends object>(part: T, name: string, { death, died }: { death: Death; died: () => void }): T {
  return new Proxy(part, {
    get(target, method) {
      const call = Reflect.get(target, method) as (...args: unknown[]) => unknown;
      if (`${name}.${String(method)}` !== death.at) return call;
      return (...args: unknown[]) => {
        if (death.when === 'before') {
          died();
          return new Promise(() => undefined);
        }
        const done = Promise.resolve(call.apply(target, args));
        return done.then(() => {
          died();
          return new Promise(() => undefined);
        });
      };
    },
  });
}

/** Sends a create to a service that dies on the way, on the database and broker of the one that lives. */
async function createAndDie(death: Death, body: object, caller = aCaller()) {
  const ticket = service.tickets.add(caller.companyId);
  const { promise: dead, resolve } = Promise.withResolvers<void>();
  const die = { death, died: resolve };
  const logger = testLogger();
  const connection = service.connection.useDb(service.connection.name, { useCache: false });
  const relay = dying(createRelay({ broker: dying(service.broker, 'broker', die), logger }), 'relay', die);
  const stores = {
    purchases: dying(createPurchaseStore({ connection, relay }), 'purchases', die),
    dossiers: dying(createDossierStore({ connection }), 'dossiers', die),
    tickets: dying(createTicketClient({ baseUrl: service.tickets.url, logger }), 'tickets', die),
    uploads: createUploads({ connection, storage: service.storage, logger }),
  };
  const routes = purchaseRoutes({ ...stores, now: () => new Date() });
  const app = createHttpApp({ service: 'purchase', routes, logger, verifyToken: verifyTestToken });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dyingClient = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, caller);
  const answered = dyingClient.create(ticket.id, body).catch(() => undefined);
  await dead;
  server.closeAllConnections();
  server.close();
  await answered;
  return { ticket, caller };
}

const steps: [string, Death][] = [
  ['the ticket is asked', { at: 'tickets.context', when: 'before' }],
  ['the ticket was asked', { at: 'tickets.context', when: 'after' }],
  ['the name was looked up', { at: 'purchases.named', when: 'after' }],
  ['the place is taken', { at: 'dossiers.take', when: 'before' }],
  ['the place was taken', { at: 'dossiers.take', when: 'after' }],
  ['the document is written', { at: 'purchases.add', when: 'before' }],
  ['the document was written, and nothing told', { at: 'relay.committed', when: 'before' }],
  ['the events were taken to be published', { at: 'relay.committed', when: 'after' }],
  ['the events are published', { at: 'broker.publish', when: 'before' }],
  ['the events were published, and not marked so', { at: 'broker.publish', when: 'after' }],
  ['the document is handed over', { at: 'tickets.handOver', when: 'before' }],
  ['the document was handed over', { at: 'tickets.handOver', when: 'after' }],
];

test.each(steps)('killed as %s: a retry ends with one document, told under one id', async (_step, death) => {
  const body = anOrder();
  const { ticket, caller } = await createAndDie(death, body);
  const client = clientOf(service.baseURL, caller);
  const { status, data } = await client.create(ticket.id, body);
  expect([200, 201]).toContain(status);
  const { id, ...purchase } = data.purchase;
  // A read of the ticket after this answer shows it, whoever wrote it.
  expect(service.tickets.handedOver.map((handed) => handed.purchase.id)).toContain(id);
  expect(purchase).toMatchObject(body);
  expect(await service.stored({ ticket_id: ticket.id })).toHaveLength(1);

  const told = () => service.told(ticketPurchaseAdded).filter(({ data }) => data.payload.purchase.id === id);
  await eventually(async () => {
    expect(told().length).toBeGreaterThan(0);
    const unsent = { ticket_id: ticket.id, 'outbox.0': { $exists: true } };
    expect(await service.connection.collection('purchases').countDocuments(unsent)).toBe(0);
  });
  expect(new Set(told().map((event) => event.id)).size).toBe(1);
});

test('places that crashes left are given back when they are needed', async () => {
  const caller = aCaller();
  const client = clientOf(service.baseURL, caller);
  const ticket = service.tickets.add(caller.companyId);
  await Promise.all(Array.from({ length: 198 }, () => client.create(ticket.id)));
  const [deleted] = await service.stored({ ticket_id: ticket.id });
  const dossiers = service.connection.collection('dossiers');
  const longAgo = '600000000000000000000000';
  // Died after it marked the document as deleted, and between place and document, a minute ago and just now.
  await service.connection
    .collection('purchases')
    .updateOne({ _id: deleted?._id as never }, { $set: { deleted: true } });
  const left = { $push: { [`live.${caller.companyId}`]: { $each: [longAgo, '700000000000000000000000'] } } };
  await dossiers.updateOne({ _id: ticket.id as never }, left as never);

  const both = [await client.create(ticket.id), await client.create(ticket.id)];
  expect(both.map(({ status }) => status)).toEqual([201, 201]);
  // The place that may still be somebody's is not given away: neither yes nor no, but later.
  const third = await client.create(ticket.id);
  expect([third.status, third.data.code]).toEqual([502, 'purchase_unavailable']);
});

type Given = Partial<{ purchases: Partial<PurchaseStore>; dossiers: Partial<DossierStore>; now: () => Date }>;

/** Issues an order by parts of which some are as given: its outcome, and the places taken on the ticket afterwards. */
async function issueBy(given: (real: { purchases: PurchaseStore; dossiers: DossierStore }) => Given) {
  const { connection } = service;
  const relay = createRelay({ broker: service.broker, logger: testLogger() });
  const real = { purchases: createPurchaseStore({ connection, relay }), dossiers: createDossierStore({ connection }) };
  const { purchases, dossiers, now = () => new Date() } = given(real);
  const parts = { purchases: { ...real.purchases, ...purchases }, dossiers: { ...real.dossiers, ...dossiers } };
  const caller = aCaller();
  const ticket = service.tickets.add(caller.companyId);
  const own = ticket.views.get(caller.companyId) as TicketContext['own'];
  const context: TicketContext = {
    ticket: { id: ticket.id, number: 'T-1', title: 'x' },
    ...{ version: 1, client_id: caller.companyId, own, contractor: null, quote_ids: [] },
  };
  const input = { ...anOrder(), source_system: null, quote_id: null, purchase_order_id: null, amount: null };
  const issue = createIssue({ ...parts, now });
  const outcome = await issue({ caller, context, input }).then(
    ({ created }) => created,
    ({ code, message }) => code ?? message,
  );
  const places = await real.dossiers.taken({ ticketId: ticket.id, buyerId: caller.companyId });
  return { outcome, places: places.length, documents: (await service.stored({ ticket_id: ticket.id })).length };
}

test.each([
  ['31 s', 31_000, { outcome: 'purchase_timeout', places: 0, documents: 0 }],
  ['28 s', 28_000, { outcome: true, places: 1, documents: 1 }],
] as const)(
  'a document is written no later than half a minute after its place was taken: after %s',
  async (_after, tookMs, expected) => {
    let now = Date.now();
    const issued = await issueBy(({ dossiers }) => ({
      dossiers: {
        async take(place, id) {
          const heard = await dossiers.take(place, id);
          now += tookMs;
          return heard;
        },
      },
      now: () => new Date(now),
    }));
    expect(issued).toEqual(expected);
  },
);

const refused = () => new Error('refused');
const away = () => Object.assign(new Error('away'), { name: 'MongoNetworkError' });
const fails = (error: Error) => async () => Promise.reject(error);

test.each<[string, Parameters<typeof issueBy>[0], object]>([
  [
    'refused by the database gives its place back',
    () => ({ purchases: { add: fails(refused()) } }),
    { outcome: 'refused', places: 0, documents: 0 },
  ],
  [
    'of which the answer was lost keeps it',
    ({ purchases }) => ({ purchases: { add: (decision) => purchases.add(decision).then(fails(refused())) } }),
    { outcome: 'refused', places: 1, documents: 1 },
  ],
  [
    'that may be on its way to the database keeps it',
    () => ({ purchases: { add: fails(away()) } }),
    { outcome: 'away', places: 1, documents: 0 },
  ],
  [
    'that failed, and whose place cannot be given back, tells why it failed',
    () => ({ purchases: { add: fails(refused()) }, dossiers: { release: fails(away()) } }),
    { outcome: 'refused', places: 1, documents: 0 },
  ],
])('a document %s', async (_which, given, expected) => {
  expect(await issueBy(given)).toEqual(expected);
});
