import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  allStatuses,
  type Caller,
  type ContractorSnapshot,
  contractorChanged,
  type EventType,
  type InvoiceFetched,
  invoiceFetched,
  purchaseChanged,
  type StoredPayload,
  type TicketSnapshot,
  ticketChanged,
} from '@app/contracts';
import { listen } from '@app/http';
import { newId } from '@app/kernel';
import { connectBroker, toCloudEvents } from '@app/messaging';
import { createInvoiceReader, providerOf } from '@app/providers';
import { connectMongo } from '@app/runtime';
import { createStorage, createUrlSigner } from '@app/storage';
import {
  aCaller,
  ampleMs,
  ensureIndexes,
  eventually,
  signAs,
  testInfra,
  testLogger,
  testNamespace,
  verifyTestToken,
} from '@app/testing';
import axios, { type AxiosResponse } from 'axios';
import { createApp, type Deps } from '../app.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { ticketCollections } from '../projections/ticket-collections.ts';
import { parseProjection, type StoredTicket, type TicketProjection } from '../projections/ticket-projection.ts';
import { startFakeServices } from './fake-services.ts';
import { recordHandled, recordPublished } from './recorded-events.ts';
import { aContractor, anOrder, aPayload, aTicket, viewOf } from './snapshots.ts';

type Call = (method: string, path: string, body?: unknown, headers?: object) => Promise<AxiosResponse>;
export type Client = { caller: Caller; call: Call; download(path: string): Promise<AxiosResponse<Buffer>> };

export type Options = {
  namespace?: string;
  settings?: Partial<Deps['settings']>;
  ticketTimeouts?: Deps['ticketTimeouts'];
  recordEvents?: boolean;
  /** Other limits for reading a document. */
  reading?: { timeoutMs?: number; memoryMb?: number };
  /** Where files are stored; by default in the database of the invoices. */
  storageUrl?: string;
};

export type Service = Awaited<ReturnType<typeof startService>>;
type Key = Pick<InvoiceFetched, 'client_id' | 'external_id'>;

export type World = {
  client: Client;
  id: string;
  contractor: ContractorSnapshot;
  ticket: TicketSnapshot;
  order: string;
  purchase: ReturnType<typeof anOrder>;
};

const providers = (key: string) => {
  const sandbox = providerOf('sandbox');
  if (!sandbox) return null;
  // The sandbox provider without feedback, and one that passes everything on and takes nothing back.
  if (key === 'mute') return { ...sandbox, capabilities: { ...sandbox.capabilities, statuses: {} } };
  return key === 'all-statuses'
    ? { ...sandbox, capabilities: { ...sandbox.capabilities, statuses: allStatuses, reversal: false } }
    : providerOf(key);
};

/** The service for all tests of a file. */
export function useService(options: Options = {}): Service {
  const service = {} as Service;
  beforeAll(async () => void Object.assign(service, await startService(options)));
  afterAll(async () => {
    await service.drop();
    await service.stop();
  });
  return service;
}

/** One client for all tests of a file. */
export function useWorld(service: Service): World {
  const world = {} as World;
  beforeAll(async () => void Object.assign(world, await service.world()));
  return world;
}

/** No rematches. */
export const quiet = { settings: { rematchDelayMs: 600_000 } };
/** Amounts that no ticket has, some near to those of every order, and some that do not add up. */
export const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };
export const near = { ht: '97.00', tva: '19.40', ttc: '116.40' };
export const wrong = { ht: '1.00', tva: '1.00', ttc: '9.00' };
export const toView = ({ ticket }: World) => ({ ticketId: ticket.id, viewId: viewOf(ticket) });
export const link = (world: World, id: string) => world.client.call('post', `/invoices/${id}/link`, toView(world));
export const read = async ({ client }: Pick<World, 'client'>, id: string) =>
  (await client.call('get', `/invoices/${id}`)).data;

/** Starts the whole service on real MongoDB and RabbitMQ, with fakes of other services and a recorder of its events. */
export async function startService({
  namespace = testNamespace(),
  settings = {},
  recordEvents: isRecording = true,
  reading: bounds = {},
  ticketTimeouts = {},
  storageUrl,
}: Options = {}) {
  const { mongodbUrl, amqpUrl } = testInfra();
  const logger = testLogger();
  const connection = await connectMongo({ url: mongodbUrl, database: `${namespace}db`, poolSize: 20 });
  const broker = await connectBroker({
    url: amqpUrl,
    namespace,
    service: 'invoice-reconciliation',
    logger,
    retryDelayMs: 200,
  });
  const storage = createStorage(storageUrl ? { url: storageUrl } : { url: mongodbUrl, database: `${namespace}db` });
  const others = await startFakeServices();
  const recordedEvents = isRecording ? await recordPublished(broker) : [];
  const keys = [{ id: 'test', secret: Buffer.alloc(32, 7) }];
  const handled = new Set<string>();
  const reading = { began: 0, ended: 0 };
  const observe = {
    began() {
      reading.began += 1;
    },
    ended() {
      reading.ended += 1;
    },
  };
  const reader = createInvoiceReader({ slowMayWait: false, observe, timeoutMs: ampleMs, ...bounds });
  const app = createApp({
    connection,
    broker: recordHandled(broker, handled),
    storage,
    links: createUrlSigner({ keys, baseUrl: 'http://download.test' }),
    logger,
    verifyToken: verifyTestToken,
    providerOf: providers,
    reader,
    ticketUrl: others.url,
    connectionUrl: others.url,
    ticketTimeouts: { readTimeoutMs: ampleMs, pushTimeoutMs: ampleMs, ...ticketTimeouts },
    settings: {
      matching: {},
      rematchDelayMs: 200,
      retryDelaysMs: [50, 100, 200],
      pollEveryMs: 50,
      concurrency: 16,
      ...settings,
    },
  });
  await ensureIndexes(connection);
  await app.subscribe();
  app.relay.start();
  app.worker.start();
  const http = await listen(app.handler, { host: '127.0.0.1', port: 0 });
  const invoices = connection.collection<Invoice>('invoices');
  const { tickets } = ticketCollections(connection);

  /** @returns the ids of the events */
  async function publish<T>(eventType: EventType<T>, ...data: T[]): Promise<string[]> {
    const newEvents = data.map((one) => eventType(one, new Date()));
    const events = toCloudEvents('test', newEvents);
    await broker.publish(events);
    return events.map(({ id }) => id);
  }
  async function stored(bytes: Buffer, type = 'application/json'): Promise<StoredPayload> {
    const { key, size } = await storage.put(Readable.from([bytes]), { name: 'payload', type });
    return { key, size, type, hash: createHash('sha256').update(bytes).digest('hex') };
  }
  const invoice = ({ client_id, external_id }: Key) => invoices.findOne({ client_id, external_id });
  /** Stores a payload. @returns the event that the connection service would publish */
  async function payload(
    client_id: string,
    content = {},
    given: Partial<InvoiceFetched> = {},
  ): Promise<InvoiceFetched> {
    const raw = await stored(Buffer.from(JSON.stringify(aPayload(content))));
    const own = { connection_id: newId(), provider: 'sandbox', external_id: newId(), document: null, resync: false };
    const { fetched_at = new Date().toISOString() } = given;
    return { client_id, ...own, raw, fetched_at, sequence: Date.parse(fetched_at), ...given };
  }
  /** The projection of a ticket. */
  async function ticketProjection(id: string): Promise<(StoredTicket & TicketProjection) | null> {
    const found = await tickets.findOne({ _id: id });
    const projection = parseProjection(found?.json);
    return found && projection && { ...found, ...projection };
  }
  const as = (given: Partial<Caller> = {}) =>
    clientOf(`http://127.0.0.1:${http.port}`, aCaller({ permissions: ['accounting'], ...given }));
  return {
    app,
    namespace,
    connection,
    fakes: others,
    events: recordedEvents,
    as,
    publish,
    stored,
    invoice,
    payload,
    ticketProjection,
    logged: () => JSON.stringify(logger.lines),
    /** Documents that workers have begun and finished to read. */
    reading,
    /** Ids of the events that this service has handled. */
    handled: handled as ReadonlySet<string>,
    /** Recorded events of one invoice. */
    eventsOf: (id: string, type?: { type: string }) =>
      recordedEvents.filter((one) => one.data['invoice_id'] === id && (type === undefined || one.type === type.type)),
    /** Publishes together, and waits until all are handled. */
    async settle<T>(eventType: EventType<T>, ...data: T[]) {
      const ids = await publish(eventType, ...data);
      await eventually(() => expect(ids.filter((id) => !handled.has(id))).toEqual([]));
    },
    /** Publishes a payload and waits for its invoice. */
    async ingest(client_id: string, content?: object, given?: Partial<InvoiceFetched>): Promise<Invoice> {
      const event = await payload(client_id, content, given);
      await publish(invoiceFetched, event);
      return eventually(async () => {
        const found = await invoice(event);
        expect(found?.content.fetched_at.getTime()).toBeGreaterThanOrEqual(Date.parse(event.fetched_at));
        return found as Invoice;
      });
    },
    /** Waits until the invoice is so. */
    becomes: (key: Key, expected: object) => eventually(async () => expect(await invoice(key)).toMatchObject(expected)),
    /** A client with a contractor and a ticket with an order of 100, all projected. */
    async world(given: Partial<TicketSnapshot> = {}): Promise<World> {
      const client = as();
      const id = client.caller.companyId;
      const contractor = aContractor(id);
      const ticket = aTicket(contractor, given);
      const order = anOrder(ticket);
      await publish(contractorChanged, { contractor });
      await publish(ticketChanged, { ticket });
      await publish(purchaseChanged, { purchase: order });
      await eventually(async () => {
        const projected = await ticketProjection(ticket.id);
        const known = await connection.collection('contractor_projections').findOne({ _id: contractor.id as never });
        expect([known === null, projected?.purchases?.length]).toEqual([false, 1]);
      });
      return { client, id, contractor, ticket, order: order.reference, purchase: order };
    },
    async stop() {
      await http.close();
      await app.worker.stop();
      await app.relay.stop();
      await broker.close();
      await reader.close();
      await others.stop();
      await storage.close();
      await connection.close();
    },
    /** As after `kill -9`: nothing is completed. */
    async crash() {
      // Work under way loses its connections.
      await connection.close(true);
      await storage.close();
      const stops = [app.worker.stop(), app.relay.stop(), broker.close(), reader.close(), http.close(), others.stop()];
      await Promise.allSettled(stops);
    },
    drop: async () => void (await connection.dropDatabase()),
  };
}

function clientOf(baseURL: string, caller: Caller): Client {
  const http = axios.create({ baseURL, validateStatus: () => true });
  return {
    caller,
    call: async (method, url, data, headers = {}) =>
      http.request({ method, url, data, headers: { ...(await signAs(caller)), ...headers } }),
    download: async (url) => http.get(url, { responseType: 'arraybuffer', headers: await signAs(caller) }),
  };
}
