import {
  type Caller,
  contractorChanged,
  type DomainEvent,
  type EventType,
  locationChanged,
  snapshotsRequested,
  ticketAssigned,
  ticketChanged,
  webhookEventTypes,
} from '@app/contracts';
import { listen, type Route } from '@app/http';
import { type Broker, connectBroker, on } from '@app/messaging';
import { ensureIndexes } from '@app/runtime';
import { createStorage, createUrlSigner, type Storage } from '@app/storage';
import {
  aCaller,
  eachOnce,
  recordEvents,
  signAs,
  signPrincipal,
  testDatabase,
  testInfra,
  testLogger,
  testNamespace,
  verifyTestToken,
} from '@app/testing';
import axios, { type AxiosRequestConfig, type AxiosResponse } from 'axios';
import type { Connection } from 'mongoose';
import { type App, createApp, type Deps } from '../app.ts';
import { type FakeIdentityService, startIdentity } from './companies/fake-identity-service.ts';

export type WebhookEvent = { type: string; time: string; audience: string[]; payload: Record<string, unknown> };

/** Calls the service as one user. */
export type Client = {
  caller: Caller;
  call(method: string, path: string, body?: unknown, headers?: object): Promise<AxiosResponse>;
  get(path: string): Promise<AxiosResponse>;
  post(path: string, body?: unknown): Promise<AxiosResponse>;
  put(path: string, body?: unknown): Promise<AxiosResponse>;
  upload(
    path: string,
    fields: Record<string, string>,
    file?: { name: string; content: Buffer },
  ): Promise<AxiosResponse>;
};

export type Platform = {
  app: App;
  identity: FakeIdentityService;
  routes: Route[];
  webhookEvents: WebhookEvent[];
  /** The snapshot events, from which other services build projections. */
  snapshotEvents: DomainEvent[];
  broker: Broker;
  storage: Storage;
  connection: Connection;
  as(given?: Partial<Caller>): Client;
  /** Calls as the platform's administrator. */
  administer(method: string, path: string, config?: AxiosRequestConfig): Promise<AxiosResponse>;
  /** A contractor company in the directory of `client`: its entry and a user of it. */
  contractorOf(client: Client): Promise<Client & { id: string }>;
  stop(): Promise<void>;
};

/** The whole ticket service on real MongoDB and RabbitMQ, and the events that it publishes. */
export async function startPlatform(
  given: Partial<Pick<Deps, 'now' | 'strictClose' | 'erasureSettleMs' | 'exportTimes'>> = {},
): Promise<Platform> {
  const { connection, drop } = await testDatabase();
  const namespace = testNamespace();
  const logger = testLogger();
  const broker = await connectBroker({ url: testInfra().amqpUrl, namespace, service: 'ticket', logger });
  const webhookEvents: WebhookEvent[] = [];
  const recordWebhook = eachOnce((event: DomainEvent<{ audience: string[]; payload: object }>) => {
    webhookEvents.push({ type: event.type, time: event.time, ...event.data } as WebhookEvent);
  });
  await broker.subscribe({
    queue: 'probe',
    table: webhookEventTypes.map((type) => on(type as EventType<unknown>, recordWebhook as never)),
  });
  const snapshotTypes = [ticketChanged, ticketAssigned, contractorChanged, locationChanged, snapshotsRequested];
  const snapshotEvents = await recordEvents(broker, snapshotTypes, 'snapshots');
  const storage = createStorage({ url: testInfra().mongodbUrl, database: connection.name });
  const identity = await startIdentity();
  const keys = [{ id: 'test', secret: Buffer.alloc(32, 7) }];
  const app = createApp({
    connection,
    broker,
    storage,
    links: createUrlSigner({ keys, baseUrl: 'http://download.test' }),
    logger,
    verifyToken: verifyTestToken,
    identityUrl: identity.url,
    baseUrl: 'http://api.test',
    proposalLifetimeMs: null,
    timerIntervalMs: 60_000,
    ...given,
  });
  await ensureIndexes(connection);
  await app.subscribe();
  app.relay.start();
  app.erasures.start();
  app.exports.start();
  const http = await listen(app.handler, { host: '127.0.0.1', port: 0 });
  const baseURL = `http://127.0.0.1:${http.port}`;
  const as = (given: Partial<Caller> = {}) => clientOf(baseURL, aCaller(given));
  return {
    app,
    identity,
    routes: app.routes,
    webhookEvents,
    snapshotEvents,
    broker,
    storage,
    connection,
    as,
    async administer(method, path, config = {}) {
      const { authorization } = await signPrincipal({ kind: 'platform' });
      const headers = { authorization, ...config.headers };
      return axios.request({ baseURL, method, url: path, validateStatus: () => true, ...config, headers });
    },
    async contractorOf(client) {
      const own = as({ companyKind: 'contractor', companyName: 'Fixit' });
      const { companyId: id, companyName: name } = own.caller;
      identity.companies.set(id, { id, name, kind: 'contractor', siret: null, siren: null });
      const entry = await client.post('/api/v3.0/contractors', { name, company_id: id });
      return { ...own, id: entry.data._id };
    },
    async stop() {
      await http.close();
      await app.exports.stop();
      await app.erasures.stop();
      await app.relay.stop();
      await broker.close();
      await identity.stop();
      await storage.close();
      await drop();
    },
  };
}

function clientOf(baseURL: string, caller: Caller): Client {
  const http = axios.create({ baseURL, validateStatus: () => true });
  const call: Client['call'] = async (method, path, body, headers = {}) =>
    http.request({ method, url: path, data: body, headers: { ...(await signAs(caller)), ...headers } });
  return {
    caller,
    call,
    get: (path) => call('get', path),
    post: (path, body) => call('post', path, body),
    put: (path, body) => call('put', path, body),
    async upload(path, fields, file) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      if (file) form.append('file', new Blob([new Uint8Array(file.content)]), file.name);
      return call('post', path, form);
    },
  };
}

/** @returns the path of the ticket */
export async function newTicket(client: Client, body: object = {}): Promise<string> {
  const { status, data } = await client.post('/api/v3.0/tickets', { title: 'Leak in the hall', ...body });
  expect([status, data]).toEqual([201, { ticket_id: expect.any(String) }]);
  return `/api/v3.0/tickets/${data.ticket_id}`;
}

export const pdf = { name: 'devis été.pdf', content: Buffer.from('%PDF-1.4\nhello\n%%EOF') };
