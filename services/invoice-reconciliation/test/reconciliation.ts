import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
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
import { connectMongo, ensureIndexes } from '@app/runtime';
import { createStorage, createUrlSigner } from '@app/storage';
import { aCaller, eventually, signAs, testInfra, testLogger, testNamespace, verifyTestToken } from '@app/testing';
import axios, { type AxiosResponse } from 'axios';
import type { Connection } from 'mongoose';
import { type App, createApp, type Deps } from '../app.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { ticketCollections } from '../projections/ticket-collections.ts';
import { parseProjection, type StoredTicket, type TicketProjection } from '../projections/ticket-projection.ts';
import { type FakeServices, startFakeServices } from './fake-services.ts';
import { type RecordedEvent, recordHandled, recordPublished } from './recorded-events.ts';
import { aContractor, anOrder, aPayload, aTicket } from './snapshots.ts';

type Call = (method: string, path: string, body?: unknown, headers?: object) => Promise<AxiosResponse>;
export type Client = { caller: Caller; call: Call };

/** Enough beside other suites, but less than a test has, so that the failed expectation is reported. */
const patienceMs = 30_000;

export type Options = {
  namespace?: string;
  settings?: Partial<Deps['settings']>;
  recordEvents?: boolean;
  /** Other limits for reading a document. */
  reading?: { timeoutMs?: number; memoryMb?: number };
  /** Where files are stored; by default in the database of the invoices. */
  storageUrl?: string;
};

export type Service = {
  app: App;
  namespace: string;
  connection: Connection;
  fakes: FakeServices;
  events: RecordedEvent[];
  logged: () => string;
  /** Documents that workers have begun and finished to read. */
  reading: { began: number; ended: number };
  /** Ids of the events that this service has handled. */
  handled: ReadonlySet<string>;
  /** Recorded events of one invoice. */
  eventsOf(invoiceId: string, type?: { type: string }): RecordedEvent[];
  as(given?: Partial<Caller>): Client;
  /** @returns the ids of the events */
  publish<T>(eventType: EventType<T>, ...data: T[]): Promise<string[]>;
  /** Stores a payload. @returns the event that the connection service would publish */
  payload(clientId: string, payload?: object, given?: Partial<InvoiceFetched>): Promise<InvoiceFetched>;
  /** Publishes a payload and waits for its invoice. */
  ingest(clientId: string, payload?: object, given?: Partial<InvoiceFetched>): Promise<Invoice>;
  invoice(key: Pick<InvoiceFetched, 'client_id' | 'external_id'>): Promise<Invoice | null>;
  /** The projection of a ticket. */
  ticketProjection(id: string): Promise<(StoredTicket & TicketProjection) | null>;
  /** A client with a contractor and a ticket with an order of 100, all projected. */
  world(given?: Partial<TicketSnapshot>): Promise<World>;
  stored(bytes: Buffer, type?: string): Promise<StoredPayload>;
  stop(): Promise<void>;
  /** As after `kill -9`: nothing is completed. */
  crash(): Promise<void>;
  drop(): Promise<void>;
};

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
  // The sandbox provider without feedback.
  return key === 'mute' && sandbox
    ? { ...sandbox, capabilities: { ...sandbox.capabilities, feedback: false } }
    : providerOf(key);
};

/** Starts the service for all tests of a file, and passes it to `begin`. */
export function useService(options: Options, begin: (service: Service) => unknown): void {
  let service: Service;
  beforeAll(async () => {
    service = await startService(options);
    await begin(service);
  });
  afterAll(async () => {
    await service.drop();
    await service.stop();
  });
}

/** Starts the whole service on real MongoDB and RabbitMQ, with fakes of other services and a recorder of its events. */
export async function startService({
  namespace = testNamespace(),
  settings = {},
  recordEvents: isRecording = true,
  reading: bounds = {},
  storageUrl,
}: Options = {}): Promise<Service> {
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
  const reader = createInvoiceReader({ slowMayWait: false, observe, ...bounds });
  const app = createApp({
    connection,
    broker: recordHandled(broker, handled),
    storage,
    links: createUrlSigner({ keys, baseUrl: 'http://download.test' }),
    logger,
    verifyToken: verifyTestToken,
    providerOf: providers,
    reader,
    cursorKeys: keys,
    ticketUrl: others.url,
    connectionUrl: others.url,
    settings: {
      ...{ matching: {}, rematchDelayMs: 200, retryDelaysMs: [50, 100, 200], pollEveryMs: 50, concurrency: 16 },
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

  const publish: Service['publish'] = async (eventType, ...data) => {
    const newEvents = data.map((one) => eventType(one, new Date()));
    const events = toCloudEvents('test', newEvents);
    await broker.publish(events);
    return events.map(({ id }) => id);
  };
  const stored: Service['stored'] = async (bytes, type = 'application/json') => {
    const { key, size } = await storage.put(Readable.from([bytes]), { name: 'payload', type });
    return { key, size, type, hash: createHash('sha256').update(bytes).digest('hex') };
  };
  const service: Service = {
    app,
    namespace,
    connection,
    fakes: others,
    events: recordedEvents,
    logged: () => JSON.stringify(logger.lines),
    reading,
    handled,
    eventsOf: (id, type) =>
      recordedEvents.filter((one) => one.data['invoice_id'] === id && (type === undefined || one.type === type.type)),
    as: (given = {}) => clientOf(`http://127.0.0.1:${http.port}`, aCaller({ permissions: ['accounting'], ...given })),
    publish,
    stored,
    async payload(client_id, payload = {}, given = {}) {
      const raw = await stored(Buffer.from(JSON.stringify(aPayload(payload))));
      const own = { connection_id: newId(), provider: 'sandbox', external_id: newId(), document: null, resync: false };
      return { client_id, ...own, raw, fetched_at: new Date().toISOString(), ...given };
    },
    async ingest(client_id, payload, given) {
      const event = await service.payload(client_id, payload, given);
      await publish(invoiceFetched, event);
      return eventually(async () => {
        const found = await service.invoice(event);
        expect(found?.content.fetched_at.getTime()).toBeGreaterThanOrEqual(Date.parse(event.fetched_at));
        return found as Invoice;
      }, patienceMs);
    },
    invoice: ({ client_id, external_id }) => invoices.findOne({ client_id, external_id }),
    async ticketProjection(id) {
      const found = await tickets.findOne({ _id: id });
      const projection = parseProjection(found?.packed);
      return found && projection && { ...found, ...projection };
    },
    async world(given = {}) {
      const client = service.as();
      const id = client.caller.companyId;
      const contractor = aContractor(id);
      const ticket = aTicket(contractor, given);
      const order = anOrder(ticket);
      await publish(contractorChanged, { contractor });
      await publish(ticketChanged, { ticket });
      await publish(purchaseChanged, { purchase: order });
      await eventually(async () => {
        const projected = await service.ticketProjection(ticket.id);
        const known = await connection.collection('contractor_copies').findOne({ _id: contractor.id as never });
        expect([known === null, projected?.purchases?.length]).toEqual([false, 1]);
      }, patienceMs);
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
    async crash() {
      // Work under way loses its connections.
      await connection.close(true);
      await storage.close();
      const stops = [app.worker.stop(), app.relay.stop(), broker.close(), reader.close(), http.close(), others.stop()];
      await Promise.allSettled(stops);
    },
    drop: async () => void (await connection.dropDatabase()),
  };
  return service;
}

function clientOf(baseURL: string, caller: Caller): Client {
  const http = axios.create({ baseURL, validateStatus: () => true });
  return {
    caller,
    call: async (method, url, data, headers = {}) =>
      http.request({ method, url, data, headers: { ...(await signAs(caller)), ...headers } }),
  };
}
