import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  auditRecorded,
  type Caller,
  companyCreated,
  type EventType,
  invoiceFeedbackSettled,
  invoiceFetched,
  invoiceGone,
  invoiceStatusReceived,
} from '@app/contracts';
import { type SandboxProvider, startSandboxProvider } from '@app/demo';
import { listen } from '@app/http';
import { connectBroker, toCloudEvents } from '@app/messaging';
import { createInvoiceReader, providers } from '@app/providers';
import { connectMongo, type NamedKey } from '@app/runtime';
import { createStorage, type Storage } from '@app/storage';
import {
  aCaller,
  ampleMs,
  ensureIndexes,
  eventually,
  recordEvents,
  signAs,
  testBroker,
  testDatabase,
  testInfra,
  testLogger,
  testNamespace,
  verifyTestToken,
} from '@app/testing';
import type { Connection as Database } from 'mongoose';
import { createApp, type WorkLimits } from '../app.ts';

export type Answer = { status: number; headers: Headers; body: Record<string, unknown>; text: string };
type Options = { as?: Caller; body?: unknown; raw?: string | Buffer; headers?: Record<string, string> };
export type Call = (method: string, path: string, options?: Options) => Promise<Answer>;

export const aKey = (id = 'first'): NamedKey => ({ id, secret: randomBytes(32) });
export const anAccountant = (given: Partial<Caller> = {}) => aCaller({ permissions: ['accounting'], ...given });

/**
 * Short times, so that a retry or the end of a lease is waited for in a test; but not for the provider's answer, which on a
 * busy machine may take seconds.
 */
const testLimits: WorkLimits = {
  pollIntervalMs: 3_600_000,
  retryDelaysMs: [50, 100, 100],
  timeoutMs: 20_000,
  probeAfterMs: 3_600_000,
  concurrency: 8,
  totalConcurrency: 32,
  leaseMs: 60_000,
};

type Given = {
  limits?: Partial<WorkLimits>;
  keys?: NamedKey[];
  now?: () => Date;
  storage?: (storage: Storage) => Storage;
  /** Overrides of the limits of the invoice reader. */
  reading?: Partial<Parameters<typeof createInvoiceReader>[0]>;
  /** Settings of providers other than the sandbox. */
  providers?: Record<string, string>;
  /** Where providers call back. */
  publicUrl?: string;
};

/** The service on a real database and broker, with the sandbox provider, and everything that it published. */
export async function startService(given: Given = {}) {
  const namespace = testNamespace();
  const { connection: database, drop } = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'connection-'));
  const storage = createStorage({ url: pathToFileURL(folder).href });
  const logger = testLogger();
  const sandbox = await startSandboxProvider({ port: 0 });
  const keys = given.keys ?? [aKey()];
  const answers: Answer[] = [];
  const stops: (() => Promise<void>)[] = [];
  const others = await otherServices(namespace);

  /** Another process of the same service: its own connections and app on the same database and queues. */
  async function replica(own: Given = {}) {
    const linked = await connectMongo({ url: testInfra().mongodbUrl, database: database.name });
    const broker = await connectBroker({ url: testInfra().amqpUrl, namespace, service: 'connection', logger });
    const wrap = own.storage ?? given.storage ?? ((one: Storage) => one);
    const reader = createInvoiceReader({ slowMayWait: true, timeoutMs: ampleMs, ...given.reading });
    const app = createApp({
      database: linked,
      broker,
      storage: wrap(storage),
      logger,
      verifyToken: verifyTestToken,
      providers: providers({ PROVIDER_SANDBOX_URL: sandbox.url, ...given.providers }),
      reader,
      publicUrl: given.publicUrl,
      credentialsKeys: own.keys ?? keys,
      limits: { ...testLimits, ...given.limits, ...own.limits },
      now: own.now ?? given.now ?? (() => new Date()),
    });
    await ensureIndexes(linked);
    app.start();
    await app.subscribe();
    const server = await listen(app.handler, { host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${server.port}`;
    const stop = async () => {
      await server.close();
      await broker.close();
      await app.stop();
      await reader.close();
      await linked.close();
    };
    /** Like kill -9: nothing more is recorded or released, and nothing is waited for. */
    const crash = async () => {
      stops.splice(stops.indexOf(stop), 1);
      await linked.close(true);
      void app.stop().catch(() => undefined);
      await Promise.allSettled([server.close(), broker.close(), reader.close()]);
    };
    stops.push(stop);
    return { call: caller(url, answers), url, app, broker, stop, crash };
  }

  const first = await replica();
  return {
    ...first,
    ...conveniences({ call: first.call, url: first.url, sandbox, database }),
    replica,
    namespace,
    database,
    storage,
    /** Where the storage keeps its files. */
    folder,
    logger,
    sandbox,
    answers,
    events: others.events,
    publish: others.publish,
    fetched: ({ id }: Pick<Connected, 'id'>) =>
      others.events(invoiceFetched).filter(({ connection_id }) => connection_id === id),
    jobs: () => database.collection('jobs'),
    /** The keys of all files in storage. */
    async files() {
      const keys: string[] = [];
      for await (const { key } of storage.list({ olderThan: new Date(Date.now() + 60_000) })) keys.push(key);
      return keys.sort();
    },
    async stop() {
      for (const stop of stops) await stop().catch(() => undefined);
      await others.stop();
      await sandbox.close();
      await drop();
      await storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
export type Service = Awaited<ReturnType<typeof startService>>;

/** Records what the service publishes, and publishes what it consumes. */
async function otherServices(namespace: string) {
  const broker = await testBroker(namespace);
  const published = await recordEvents(broker, [
    invoiceFetched,
    invoiceGone,
    invoiceStatusReceived,
    invoiceFeedbackSettled,
    auditRecorded,
  ]);
  return {
    /** The data of the events of a type, in the order of arrival. */
    events: <T>(type: EventType<T>): T[] =>
      published.filter((event) => event.type === type.type).map(({ data }) => data as T),
    publish: (...events: Parameters<typeof toCloudEvents>[1]) => broker.publish(toCloudEvents('test', events)),
    stop: () => broker.close(),
  };
}

type Parts = { call: Call; url: string; sandbox: SandboxProvider; database: Database };

function conveniences({ call, url, sandbox, database }: Parts) {
  /** A company with an account at the provider and a connection to it; an active one has been polled once. */
  async function connected(given: { webhookSecret?: string; apiKey?: string; active?: boolean } = {}) {
    const owner = anAccountant();
    const { apiKey = `key-${randomBytes(8).toString('hex')}`, webhookSecret = 'shared secret of the webhooks' } = given;
    const webhookUrl = `${url}/webhooks/invoice-providers/sandbox`;
    sandbox.setAccount({ apiKey, clientId: owner.companyId, webhookUrl, webhookSecret });
    const body = { provider: 'sandbox', apiKey, webhookSecret, active: given.active ?? true };
    const answer = await call('POST', '/invoice-connections', { as: owner, body });
    if (answer.status !== 201) throw new Error(answer.text);
    const id = String(answer.body['id']);
    if (body.active) await polled(id);
    return { owner, apiKey, webhookSecret, id };
  }

  /** The answer to a webhook of the sandbox about these invoices, through any process. */
  const webhook = ({ owner, webhookSecret }: Connected, ids: string[], by = call) =>
    by('POST', webhookPath, signed(owner.companyId, ids, webhookSecret));

  /** Sends a webhook, which the service accepts. */
  async function notify(connected: Connected, ...ids: string[]): Promise<void> {
    expect((await webhook(connected, ids)).status).toBe(202);
  }

  const recordOf = ({ id }: Pick<Connected, 'id'>) => database.collection('connections').findOne({ _id: id as never });

  /** From then on only webhooks create jobs: the next poll is an hour away. */
  async function polled(id: string): Promise<void> {
    await eventually(async () => {
      const record = await recordOf({ id });
      expect(record?.['lastPolledAt']).toBeInstanceOf(Date);
      // Its lease ends after its result is there; until then nobody can ask for another poll.
      expect(record).not.toHaveProperty('pollLease');
    });
  }

  const path = ({ id }: Connected) => `/invoice-connections/${id}`;

  /** As if the interval were over: it is polled when a person asks. Waits for the end of that poll. */
  async function pollAgain(connected: Connected): Promise<void> {
    const isIdle = () =>
      eventually(async () => {
        const record = await recordOf(connected);
        expect(record).not.toHaveProperty('pollLease');
        expect(Number(record?.['pollDueAt'])).toBeGreaterThan(Date.now() + 60_000);
      });
    await isIdle();
    const record = { _id: connected.id as never };
    await database.collection('connections').updateOne(record, { $unset: { pollAskedAt: 1 } });
    expect((await call('POST', `${path(connected)}/poll`, { as: connected.owner })).status).toBe(202);
    await isIdle();
  }

  return {
    connected,
    webhook,
    notify,
    recordOf,
    pollAgain,
    patch: (one: Connected, body: object) => call('PATCH', path(one), { as: one.owner, body }),
    remove: (one: Connected) => call('DELETE', path(one), { as: one.owner }),
    /** Calls that the provider got at a path. */
    callsOf: (at: string) => sandbox.calls().byPath[at] ?? 0,
    /** The connection as its company sees it. */
    async viewOf({ id, owner }: Connected): Promise<Record<string, unknown>> {
      const { body } = await call('GET', '/invoice-connections', { as: owner });
      return (body as unknown as Record<string, unknown>[]).find((one) => one['id'] === id) ?? {};
    },
  };
}
export type Connected = { owner: Caller; apiKey: string; webhookSecret: string; id: string };

let numbers = 0;

/** An invoice in the sandbox's format. */
export function anInvoice(given: Record<string, unknown> = {}) {
  numbers += 1;
  return {
    number: `F-${numbers}`,
    issue_date: '2026-11-20',
    currency: 'EUR',
    amounts: { ht: '100.00', tva: '20.00', ttc: '120.00' },
    supplier: { name: 'Dupont', siren: '732829320' },
    ...given,
  };
}

/** A webhook of the sandbox and its headers, signed over its bytes. */
export function signed(clientId: string, invoiceIds: string[], secret: string) {
  const raw = JSON.stringify({ clientId, events: invoiceIds.map((invoiceId) => ({ invoiceId })) });
  return { raw, headers: { 'x-sandbox-signature': `sha256=${hmac(secret, raw)}` } };
}

export const aPdf = { name: 'F-1.pdf', type: 'application/octet-stream', bytes: Buffer.from('%PDF-1.7 an invoice') };

export function hmac(secret: string, raw: string | Buffer): string {
  return createHmac('sha256', secret).update(raw).digest('hex');
}

export const webhookPath = '/webhooks/invoice-providers/sandbox';

/** The company is known once identity's event has come. */
export async function aKnownClient(service: Service): Promise<Caller> {
  const owner = anAccountant();
  const company = { id: owner.companyId, name: 'Acme', kind: 'client' as const, siret: null, siren: null };
  await service.publish(companyCreated({ company }, new Date()));
  await eventually(async () => {
    expect(await service.database.collection('clients').countDocuments({ _id: owner.companyId as never })).toBe(1);
  });
  return owner;
}

function caller(baseUrl: string, answers: Answer[]): Call {
  return async (method, path, { as, body, raw, headers = {} } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(as ? await signAs(as) : {}),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload as string }),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? {} : JSON.parse(text),
    };
    answers.push(answer);
    return answer;
  };
}
