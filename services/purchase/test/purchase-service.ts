import {
  type AddedPurchase,
  type Caller,
  type DomainEvent,
  type NewEvent,
  type PurchaseKind,
  purchaseChanged,
  purchaseFileAttached,
  ticketPurchaseAdded,
} from '@app/contracts';
import { listen } from '@app/http';
import { connectBroker, toCloudEvents } from '@app/messaging';
import { connectMongo } from '@app/runtime';
import { createStorage } from '@app/storage';
import {
  aCaller,
  ampleMs,
  ensureIndexes,
  recordEvents,
  signAs,
  testInfra,
  testLogger,
  testNamespace,
  verifyTestToken,
} from '@app/testing';
import axios, { type AxiosResponse } from 'axios';
import { createApp } from '../app.ts';
import type { Purchase } from '../purchases/purchase.ts';
import type { TicketTimeouts } from '../tickets/ticket-client.ts';
import { type FakeTicketService, startFakeTicketService } from './fake-ticket-service.ts';

type PublishedEvent = DomainEvent<{
  audience: string[];
  payload: { ticket: object; purchase: AddedPurchase };
  purchase: { id: string; version: number; deleted: boolean; supplier_company_id: string | null };
  document: { id: string };
}>;

export type File = { name: string; content: Buffer; field?: string };
export const pdf: File = { name: 'bon été.pdf', content: Buffer.from('%PDF-1.4\nhello\n%%EOF') };

/** Calls the service as one user. */
export type Client = ReturnType<typeof clientOf>;

type Given = {
  tickets?: FakeTicketService;
  retryDelayMs?: number;
  mongodbUrl?: string;
  ticketTimes?: TicketTimeouts;
  now?: () => Date;
};

export const ampleTimes: TicketTimeouts = { contextTimeoutMs: ampleMs, pushTimeoutMs: ampleMs };

/** The service for all tests of a file, or of a `describe`. */
export function usePurchases(given: () => Given = () => ({})): Purchases {
  const service = {} as Purchases;
  beforeAll(async () => void Object.assign(service, await startPurchases(given())));
  afterAll(() => service.drop());
  return service;
}

/** The whole purchase service on real infrastructure, with a fake ticket service, and the events that it publishes. */
async function startPurchases(given: Given) {
  const { tickets = await startFakeTicketService(), retryDelayMs = 200, ticketTimes = ampleTimes, now } = given;
  const namespace = testNamespace();
  const { mongodbUrl, amqpUrl } = testInfra();
  const { mongodbUrl: url = mongodbUrl } = given;
  const logger = testLogger();
  const connection = await connectMongo({ url, database: `${namespace}purchase`, poolSize: 20 });
  const storage = createStorage({ url, database: `${namespace}storage` });
  const broker = await connectBroker({ url: amqpUrl, namespace, service: 'purchase', logger, retryDelayMs });
  const types = [purchaseChanged, purchaseFileAttached, ticketPurchaseAdded];
  const events: PublishedEvent[] = await recordEvents(broker, types);
  const app = createApp({
    connection,
    broker,
    storage,
    logger,
    ticketTimeouts: ticketTimes,
    ...(now ? { now } : {}),
    verifyToken: verifyTestToken,
    ticketUrl: tickets.url,
  });
  await ensureIndexes(connection);
  await app.subscribe();
  app.relay.start();
  const http = await listen(app.handler, { host: '127.0.0.1', port: 0 });
  const baseURL = `http://127.0.0.1:${http.port}`;

  return {
    namespace,
    app,
    connection,
    broker,
    storage,
    logger,
    events,
    tickets,
    baseURL,
    as: (caller: Partial<Caller> = {}) => clientOf(baseURL, aCaller(caller)),
    /** The published events of a type. */
    published: (type: { type: string }) => events.filter((event) => event.type === type.type),
    publish: (...events: NewEvent[]) => broker.publish(toCloudEvents('ticket', events)),
    stored: async (filter: object = {}) =>
      (await connection
        .collection('purchases')
        .find(filter, { projection: { outbox: 0 } })
        .toArray()) as unknown as Purchase[],
    files: async () => connection.getClient().db(`${namespace}storage`).collection('fs.files').countDocuments(),
    async stop() {
      await http.close();
      await broker.close();
      await app.relay.stop();
      await storage.close();
      await connection.close();
    },
    async drop() {
      await connection.dropDatabase();
      await connection.getClient().db(`${namespace}storage`).dropDatabase();
      await this.stop();
      await tickets.stop();
    },
  };
}
export type Purchases = Awaited<ReturnType<typeof startPurchases>>;

export function clientOf(baseURL: string, caller: Caller) {
  const http = axios.create({ baseURL, validateStatus: () => true });
  const call = async (method: string, path: string, body?: unknown, headers: object = {}): Promise<AxiosResponse> =>
    http.request({
      method,
      url: `/api/v3.0/tickets/${path}`,
      data: body,
      headers: { ...(await signAs(caller)), ...headers },
    });
  return {
    caller,
    id: caller.companyId,
    call,
    create: (ticketId: string, body: object = {}) => call('post', `${ticketId}/purchases`, { ...anOrder(), ...body }),
    patch: (ticketId: string, id: string, body: object) => call('patch', `${ticketId}/purchases/${id}`, body),
    remove: (ticketId: string, id: string) => call('delete', `${ticketId}/purchases/${id}`),
    attach(ticketId: string, id: string, files: File[] = [pdf], fields: Record<string, string> = {}) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      for (const { name, content, field = 'file' } of files) {
        form.append(field, new Blob([new Uint8Array(content)]), name);
      }
      return call('post', `${ticketId}/purchases/${id}/document`, form);
    },
  };
}

let made = 0;

/** A body that creates an order under a reference of its own. */
export function anOrder(kind: PurchaseKind = 'purchase_order') {
  made += 1;
  return { kind, reference: `BC-${made}` };
}

/** Status and code of an answer; of a validation error, the paths at fault. */
export function outcome({ status, data }: AxiosResponse): [number, unknown] {
  const faults = (data?.errors as { path: string }[] | undefined)?.map(({ path }) => path);
  return [status, faults ?? data?.code];
}
