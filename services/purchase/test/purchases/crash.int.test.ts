import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ticketPurchaseAdded } from '@app/contracts';
import { createApp as createHttpApp } from '@app/http';
import { createRelay } from '@app/messaging';
import { createIdempotencyKeys } from '@app/runtime/idempotency';
import { hashForm, PendingUploads } from '@app/storage';
import { aCaller, eventually, testLogger, verifyTestToken } from '@app/testing';
import { purchaseRoutes } from '../../app.ts';
import { createAccountStore } from '../../assignments/account-store.ts';
import { createAssignmentStore } from '../../assignments/assignment-store.ts';
import { purchaseCreator } from '../../purchases/create-purchase.ts';
import { createPurchaseStore, type PurchaseStore } from '../../purchases/purchase-store.ts';
import { SupplierAssignment } from '../../purchases/supplier-assignment.ts';
import { createTicketClient } from '../../tickets/ticket-client.ts';
import type { TicketContext } from '../../tickets/ticket-context.ts';
import { ampleTimes, anOrder, clientOf, usePurchases } from '../purchase-service.ts';

const service = usePurchases();

/** A call of a dependency, `name.method`; the process dies before it is made, or after it is done. */
type Death = { at: string; when: 'before' | 'after' };

/** Wraps a dependency so that one of its calls crashes the process: its caller never gets a result. */
function dying<T extends object>(part: T, name: string, { death, died }: { death: Death; died: () => void }): T {
  return new Proxy(part, {
    get(target, method) {
      const call = Reflect.get(target, method) as (...args: unknown[]) => unknown;
      if (`${name}.${String(method)}` !== death.at) return typeof call === 'function' ? call.bind(target) : call;
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
  const now = () => new Date();
  const purchases = dying(createPurchaseStore({ connection, relay }), 'purchases', die);
  const assignments = createAssignmentStore({ connection });
  const accounts = createAccountStore({ connection });
  const stores = {
    purchases,
    assignments,
    supplierAssignment: dying(
      new SupplierAssignment({ purchases, assignments, accounts, now, logger }),
      'supplierAssignment',
      die,
    ),
    tickets: dying(createTicketClient({ baseUrl: service.tickets.url, ...ampleTimes }), 'tickets', die),
    uploads: new PendingUploads({ connection, storage: service.storage, logger, now: () => new Date() }),
  };
  const routes = purchaseRoutes({ ...stores, now });
  const idempotencyKeys = createIdempotencyKeys({ connection, logger });
  const verifyToken = verifyTestToken;
  const app = createHttpApp({ routes, logger, verifyToken, idempotencyKeys, hashForm });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dyingClient = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, caller);
  const answered = dyingClient.create(ticket.id, body).catch(() => undefined);
  const tooEarly = answered.then((answer) => {
    throw new Error(`answered before it died: ${JSON.stringify(answer?.data)}`);
  });
  tooEarly.catch(() => undefined);
  // What dies beside the request leaves its answer alone, which may come first.
  await (death.at === 'broker.publish' ? dead : Promise.race([dead, tooEarly]));
  server.closeAllConnections();
  server.close();
  await answered;
  return { ticket, caller };
}

const steps: [string, Death][] = [
  ['the ticket is asked', { at: 'tickets.context', when: 'before' }],
  ['the ticket was asked', { at: 'tickets.context', when: 'after' }],
  ['the document is written', { at: 'purchases.add', when: 'before' }],
  ['the document was written, and nothing published', { at: 'relay.committed', when: 'before' }],
  ['the events were taken to be published', { at: 'relay.committed', when: 'after' }],
  ['the events are published', { at: 'broker.publish', when: 'before' }],
  ['the events were published, and not marked so', { at: 'broker.publish', when: 'after' }],
  ['the document was written', { at: 'purchases.add', when: 'after' }],
  ['its supplier is checked', { at: 'supplierAssignment.recheck', when: 'before' }],
  ['its supplier was checked', { at: 'supplierAssignment.recheck', when: 'after' }],
  ['the document is pushed', { at: 'tickets.pushSnapshot', when: 'before' }],
  ['the document was pushed', { at: 'tickets.pushSnapshot', when: 'after' }],
];

/** Creates on a service that dies, and again on the one that lives. */
async function createAgain(death: Death) {
  const body = anOrder();
  const { ticket, caller } = await createAndDie(death, body);
  const { status, data } = await clientOf(service.baseURL, caller).create(ticket.id, body);
  return { body, ticket, status, purchase: data.purchase };
}

// All at once, since the sweep leaves events of the last seconds to the process that wrote them.
let retries: Map<Death, Awaited<ReturnType<typeof createAgain>>>;
beforeAll(async () => {
  retries = new Map(await Promise.all(steps.map(async ([, death]) => [death, await createAgain(death)] as const)));
});

test.each(steps)('killed when %s: a retry ends with one document, published under one id', async (_step, death) => {
  const { body, ticket, status, purchase } = retries.get(death) as Awaited<ReturnType<typeof createAgain>>;
  expect([200, 201]).toContain(status);
  expect(purchase).toMatchObject(body);
  const { id } = purchase;
  // A read of the ticket after this answer shows it, whoever wrote it.
  expect(service.tickets.pushed.map((pushed) => pushed.purchase.id)).toContain(id);
  expect(await service.stored({ ticket_id: ticket.id })).toHaveLength(1);

  const published = () => service.published(ticketPurchaseAdded).filter(({ data }) => data.payload.purchase.id === id);
  await eventually(async () => {
    expect(published().length).toBeGreaterThan(0);
    const unsent = { ticket_id: ticket.id, 'outbox.0': { $exists: true } };
    expect(await service.connection.collection('purchases').countDocuments(unsent)).toBe(0);
  });
  expect(new Set(published().map((event) => event.id)).size).toBe(1);
});

type Given = Partial<{ purchases: Partial<PurchaseStore>; now: () => Date }>;

/** Creates an order with some dependencies replaced: its outcome, and the documents on the ticket afterwards. */
async function issueBy(given: (real: PurchaseStore) => Given) {
  const { connection } = service;
  const relay = createRelay({ broker: service.broker, logger: testLogger() });
  const real = createPurchaseStore({ connection, relay });
  const { purchases, now = () => new Date() } = given(real);
  const caller = aCaller();
  const ticket = service.tickets.add(caller.companyId);
  const own = ticket.views.get(caller.companyId) as TicketContext['own'];
  const context: TicketContext = {
    ticket: { id: ticket.id, number: 'T-1', title: 'x' },
    version: 1,
    updated_at: ticket.updatedAt,
    client_id: caller.companyId,
    own,
    contractor: null,
    quote_ids: [],
  };
  const input = {
    ...anOrder(),
    source_system: null,
    quote_id: null,
    purchase_order_id: null,
    amount: null,
    includes_vat: false,
  };
  const issue = purchaseCreator({
    purchases: { ...real, ...purchases },
    assignments: createAssignmentStore({ connection }),
    now,
  });
  const outcome = await issue({ caller, context, input }).then(
    ({ created }) => created,
    ({ code, message }) => code ?? message,
  );
  return { outcome, documents: (await service.stored({ ticket_id: ticket.id })).length };
}

test.each([
  ['10 s', 10_000, { outcome: 'purchase_timeout', documents: 0 }],
  ['9.9 s', 9_900, { outcome: true, documents: 1 }],
] as const)('a document is written at most 10 s after its ticket was read: after %s', async (_, tookMs, expected) => {
  let now = Date.now();
  let tries = 0;
  const issued = await issueBy((purchases) => ({
    purchases: {
      async add(decision) {
        tries += 1;
        if (tries > 1) return purchases.add(decision);
        // Another document had taken its slot, and it took this long to find that out.
        now += tookMs;
        return null;
      },
    },
    now: () => new Date(now),
  }));
  expect(issued).toEqual(expected);
});
