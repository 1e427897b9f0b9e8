import {
  type Caller,
  type CompanySnapshot,
  contractorChanged,
  type DomainEvent,
  type EventType,
  locationChanged,
  snapshotsRequested,
  ticketAssigned,
  ticketChanged,
  type UserSnapshot,
  webhookEventTypes,
} from '@app/contracts';
import { listen } from '@app/http';
import { newId } from '@app/kernel';
import { connectBroker, on } from '@app/messaging';
import { metrics } from '@app/runtime';
import { createStorage, createUrlSigner } from '@app/storage';
import {
  aCaller,
  ampleMs,
  eachOnce,
  ensureIndexes,
  type Profiled,
  profiled,
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
import { createApp, type Deps } from '../app.ts';
import { createCompanyDirectory } from '../companies/company-directory.ts';
import { createCompanyProjections } from '../companies/company-projection-store.ts';
import { createIdentityClient } from '../companies/identity-client.ts';
import { createContractorStore } from '../contractors/contractor-store.ts';
import { createThumbnails } from '../pictures/thumbnails.ts';
import { createReferentialStore } from '../referentials/referential-store.ts';
import { startIdentity } from './companies/fake-identity-service.ts';

export type WebhookEvent = { type: string; time: string; audience: string[]; payload: Record<string, unknown> };

/** Calls the service as one user. */
export type Client = ReturnType<typeof clientOf>;

/** A client's contractor with an account: its user, and `id`, its entry in the directory of the client. */
export type Contractor = Client & { id: string };

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

type Given = Partial<Pick<Deps, 'now' | 'strictClose' | 'erasureSettleMs' | 'exportTimes'>> & {
  /** Publishes what is committed, but neither consumes nor sweeps: `plansOf` then sees the queries of routes alone. */
  quiet?: boolean;
  /** Default: one of the tests' own. */
  database?: typeof testDatabase;
};

/** The service for all tests of a file. */
export function usePlatform(given: Given = {}): Platform {
  const platform = {} as Platform;
  beforeAll(async () => void Object.assign(platform, await startPlatform(given)));
  afterAll(() => platform.stop());
  return platform;
}

/** The whole ticket service on real MongoDB and RabbitMQ, and the events that it publishes. */
async function startPlatform({ quiet = false, database = testDatabase, ...given }: Given = {}) {
  const { connection, drop } = await database();
  const logger = testLogger();
  const { amqpUrl, mongodbUrl } = testInfra();
  const namespace = testNamespace();
  const broker = await connectBroker({ url: amqpUrl, namespace, service: 'ticket', logger });
  const storage = createStorage({ url: mongodbUrl, database: connection.name });
  const thumbnails = createThumbnails({ storage, logger, timeoutMs: ampleMs });
  const identity = await startIdentity();
  const app = createApp({
    connection,
    broker,
    storage,
    thumbnails,
    links: createUrlSigner({ keys: [{ id: 'test', secret: Buffer.alloc(32, 7) }], baseUrl: 'http://download.test' }),
    logger,
    verifyToken: verifyTestToken,
    identityUrl: identity.url,
    identityTimeoutMs: ampleMs,
    baseUrl: 'http://api.test',
    consoleUrl: 'http://console.test',
    proposalLifetimeMs: null,
    timerIntervalMs: 60_000,
    ...given,
  });
  await ensureIndexes(connection);
  const webhookEvents: WebhookEvent[] = [];
  /** The snapshot events, from which other services build projections. */
  let snapshotEvents: DomainEvent[] = [];
  if (!quiet) {
    const record = eachOnce((event: DomainEvent<{ audience: string[]; payload: object }>) => {
      webhookEvents.push({ type: event.type, time: event.time, ...event.data } as WebhookEvent);
    });
    const table = webhookEventTypes.map((type) => on(type as EventType<unknown>, record as never));
    await broker.subscribe({ queue: 'probe', table });
    const types = [ticketChanged, ticketAssigned, contractorChanged, locationChanged, snapshotsRequested];
    snapshotEvents = await recordEvents(broker, types, 'snapshots');
    await app.subscribe();
    app.relay.start();
    app.erasures.start();
    app.exports.start();
  }
  const http = await listen(app.handler, { host: '127.0.0.1', port: 0 });
  const baseURL = `http://127.0.0.1:${http.port}`;

  function as(given: Partial<Caller> = {}): Client {
    const client = clientOf(baseURL, aCaller(given));
    const { companyId: id, companyName: name, companyKind: kind } = client.caller;
    identity.companies.set(id, { id, name, kind, siret: null, siren: null });
    return client;
  }

  return {
    app,
    identity,
    routes: app.routes,
    webhookEvents,
    snapshotEvents,
    broker,
    storage,
    connection,
    ...storesOf(connection, app.relay, identity.url),
    /** The webhook events of a type about the thing with this id. */
    published(type: string, id: string): WebhookEvent[] {
      const isIt = (thing: unknown) => (thing as { id?: string } | null)?.id === id;
      const isPublished = (event: WebhookEvent) => event.type === `ticket.${type}.v1`;
      return webhookEvents.filter((event) => isPublished(event) && Object.values(event.payload).some(isIt));
    },
    /** How many messages of one of its queues the service has handled. */
    async handled(queue: string): Promise<number> {
      const counter = `message_handling_duration_seconds_count{queue="${namespace}ticket.${queue}",result="handled"} `;
      const line = (await metrics.metrics()).split('\n').find((one) => one.startsWith(counter));
      return Number(line?.slice(counter.length) ?? 0);
    },
    /** Calls as one user of a company that identity knows. */
    as,
    /** The same in a line, `GET /tickets`, for a company that identity need not know. */
    async call(caller: Caller, line: string, body?: unknown) {
      const [method = 'GET', path = '/'] = line.split(' ');
      return clientOf(baseURL, caller).call(method, `/api/v3.0${path}`, body);
    },
    /** Calls as the platform's administrator. */
    async administer(method: string, path: string, config: AxiosRequestConfig = {}): Promise<AxiosResponse> {
      const { authorization } = await signPrincipal({ kind: 'platform' });
      const headers = { authorization, ...config.headers };
      return axios.request({ baseURL, method, url: path, validateStatus: () => true, ...config, headers });
    },
    /** A contractor company in the directory of `client`: its entry and a user of it. */
    async contractorOf(client: Client): Promise<Contractor> {
      const own = as({ companyKind: 'contractor', companyName: 'Fixit' });
      const { companyId: company_id, companyName: name } = own.caller;
      const entry = await client.post('/api/v3.0/contractors', { name, company_id });
      await own.put(`/api/v3.0/clients/requests/${entry.data._id}`);
      return { ...own, id: entry.data._id };
    },
    async stop() {
      await http.close();
      await app.exports.stop();
      await app.erasures.stop();
      await app.relay.stop();
      await broker.close();
      await identity.stop();
      await thumbnails.close();
      await storage.close();
      await drop();
    },
  };
}

function storesOf(connection: Connection, relay: Parameters<typeof createContractorStore>[0]['relay'], url: string) {
  const projections = createCompanyProjections({ connection });
  return {
    projections,
    companies: createCompanyDirectory({
      projections,
      identity: createIdentityClient({ baseUrl: url, timeoutMs: ampleMs }),
    }),
    referentials: createReferentialStore({ connection, relay }),
    contractors: createContractorStore({ connection, relay }),
  };
}

type TestFile = { name: string; content: Buffer };

function clientOf(baseURL: string, caller: Caller) {
  const http = axios.create({ baseURL, validateStatus: () => true });
  const call = async (method: string, path: string, body?: unknown, headers: object = {}): Promise<AxiosResponse> =>
    http.request({ method, url: path, data: body, headers: { ...(await signAs(caller)), ...headers } });
  return {
    caller,
    call,
    get: (path: string) => call('get', path),
    download: async (path: string): Promise<AxiosResponse<Buffer>> =>
      http.get(path, { responseType: 'arraybuffer', headers: await signAs(caller) }),
    post: (path: string, body?: unknown) => call('post', path, body),
    put: (path: string, body?: unknown) => call('put', path, body),
    patch: (path: string, body?: unknown, headers?: object) => call('patch', path, body, headers),
    /** A file that a route sends, as a Buffer. */
    async read(path: string, headers: object = {}): Promise<AxiosResponse<Buffer>> {
      return http.get(path, { responseType: 'arraybuffer', headers: { ...(await signAs(caller)), ...headers } });
    },
    async upload(path: string, fields: Record<string, string>, file?: TestFile, method = 'post') {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      if (file) form.append('file', new Blob([new Uint8Array(file.content)]), file.name);
      return call(method, path, form);
    },
  };
}

export const tickets = '/api/v3.0/tickets';

/** @returns the path of the ticket */
export async function newTicket(client: Client, body: object = {}): Promise<string> {
  const { status, data } = await client.post(tickets, { title: 'Leak in the hall', ...body });
  expect([status, data]).toEqual([201, { ticket_id: expect.any(String) }]);
  return `${tickets}/${data.ticket_id}`;
}

/** A ticket of the client that was proposed to two contractors, `a` and `b`. */
export async function ticketOfTwo(platform: Platform, client = platform.as()) {
  const [a, b] = [await platform.contractorOf(client), await platform.contractorOf(client)];
  return { client, a, b, ...(await proposedTo(client, a, b)) };
}

/** A ticket that was proposed to these contractors: its path and id, and the ids of its views by their companies. */
export async function proposedTo(client: Client, ...contractors: Contractor[]) {
  const path = await newTicket(client);
  await client.post(`${path}/propose`, { contractor_ids: contractors.map(({ id }) => id) });
  const views: { _id: string; company_id: string }[] = (await client.get(path)).data.views;
  const viewOf = ({ caller }: Client) => views.find((view) => view.company_id === caller.companyId)?._id ?? '';
  return { path, ticket: idOf(path), viewOf };
}

/** The last segment of a path. */
export const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Status and code of an answer; of a validation error, the paths at fault. */
export function outcome({ status, data }: AxiosResponse): [number, unknown] {
  const faults = (data?.errors as { path: string }[] | undefined)?.map(({ path }) => path);
  return [status, faults ?? data?.code];
}

/** How MongoDB carried out the reads that `work` made. */
export async function plansOf(connection: Connection, work: () => Promise<unknown>): Promise<Profiled[]> {
  return (await profiled({ connection }, work)).filter(({ op }) => op === 'query');
}

/** The ids on each page of a list, from cursor to cursor; `name`: of its items. */
export async function idPages(page: (query: string) => Promise<AxiosResponse>, name: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data } = await page(cursor && `cursor=${cursor}`);
    pages.push(data[name].map(({ _id }: { _id: string }) => _id));
    cursor = data.cursor;
  }
  return pages;
}

export function aCompany(given: Partial<CompanySnapshot> = {}): CompanySnapshot {
  return { id: newId(), name: 'Plomberie Durand', kind: 'contractor', siret: null, siren: null, ...given };
}

export function aUser(company_id: string, given: Partial<UserSnapshot> = {}): UserSnapshot {
  const names = { first_name: 'Ada', last_name: 'Martin', email: `${newId()}@example.com`, phone: null };
  return { id: newId(), company_id, ...names, permissions: ['tickets'], active: true, version: 0, ...given };
}

export const pdf = { name: 'devis été.pdf', content: Buffer.from('%PDF-1.4\nhello\n%%EOF') };
