import { randomBytes, randomUUID } from 'node:crypto';
import { type DomainEvent, type StatusChange, ticketStatusChanged, type WebhookEventData } from '@app/contracts';
import { connectBroker, toCloudEvents } from '@app/messaging';
import { connectMongo, currentContext, type Logger, openDatabaseClock } from '@app/runtime';
import {
  aCaller,
  ampleMs,
  ensureIndexes,
  type Receiver,
  signAs,
  startReceiver,
  testInfra,
  testLogger,
  testNamespace,
  verifyTestToken,
} from '@app/testing';
import request from 'supertest';
import { type AppDeps, createApp } from '../app.ts';

type Settings = AppDeps['settings'];
type Method = 'get' | 'post' | 'patch' | 'delete';
type Caller = ReturnType<typeof aCaller>;
export type LoggedDelivery = {
  id: string;
  event: string;
  ticket: { id: string; number: string; title: string } | null;
  status: string;
  statusCode: number | null;
  attempts: { at: string; statusCode: number | null; durationMs: number; error: string | null; responseBody: string }[];
  maxAttempts: number;
  eventId: string | null;
  eventTime: string | null;
  createdAt: string;
  nextAttemptAt: string | null;
};

export const testSettings: Settings = {
  timeoutMs: ampleMs,
  retryDelaysMs: [100, 200],
  endpointConcurrency: 4,
  totalConcurrency: 100,
  inMemoryPerEndpoint: 8,
  allowNetworks: ['127.0.0.0/8'],
};
export const credentialsKeys = [{ id: 'test', secret: randomBytes(32) }];

/** The real app on a database and queues of its own, which outlive `stop` so that it can be started again. */
export async function startDispatcher(given: Partial<Settings> = {}, namespace = testNamespace()) {
  const { mongodbUrl: url, amqpUrl } = testInfra();
  const logger = withContext(testLogger());
  const connection = await connectMongo({ url, database: `${namespace}webhook-dispatcher` });
  const broker = await connectBroker({ url: amqpUrl, namespace, service: 'webhook-dispatcher', logger });
  const app = createApp({
    connection,
    broker,
    logger,
    verifyToken: verifyTestToken,
    resolve: async () => [],
    credentialsKeys,
    settings: { ...testSettings, ...given },
    erasureSettleMs: 0,
    now: await openDatabaseClock(connection),
  });
  await ensureIndexes(connection);
  app.start();
  await app.subscribe();

  async function call(caller: Caller, method: Method, path: string, body?: object) {
    const { authorization } = await signAs(caller);
    const sent = request(app.http)[method](path).set('authorization', authorization);
    return body === undefined ? sent : sent.send(body);
  }

  return {
    namespace,
    connection,
    broker,
    logger,
    http: app.http,
    call,
    /** A file that a route sends. */
    async download(caller: Caller, path: string): Promise<Buffer> {
      const { authorization } = await signAs(caller);
      const sent = request(app.http).get(path).set('authorization', authorization).buffer(true);
      const { status, body } = await sent.parse((res, done) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => done(null, Buffer.concat(chunks)));
      });
      expect(status).toBe(200);
      return body;
    },
    async endpoint(
      caller: Caller,
      url: string,
      events = ['ticket.status_changed'],
    ): Promise<{ id: string; secret: string }> {
      const answer = await call(caller, 'post', '/webhooks/endpoints', { name: 'ERP', url, events });
      if (answer.status !== 201) throw new Error(`no endpoint: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async deliveries(caller: Caller, endpointId: string, query = ''): Promise<LoggedDelivery[]> {
      return (await call(caller, 'get', `/webhooks/endpoints/${endpointId}/deliveries${query}`)).body.items;
    },
    publish: (...events: DomainEvent[]) => broker.publish(events),
    async stop() {
      await broker.close();
      await app.stop();
      await connection.close();
    },
    /** As kill -9 leaves it: nothing more is recorded or released. */
    async crash() {
      await connection.close(true);
      await Promise.allSettled([broker.close(), app.stop()]);
    },
    async drop() {
      await connection.dropDatabase();
    },
  };
}
export type Dispatcher = Awaited<ReturnType<typeof startDispatcher>>;

export type Running = { dispatcher: Dispatcher; receiver: Receiver };

/** A dispatcher and a receiver for all tests of a file. */
export function useDispatcher(given: Partial<Settings> = {}): Running {
  const running = {} as Running;
  beforeAll(async () => {
    running.receiver = await startReceiver();
    running.dispatcher = await startDispatcher(given);
  });
  afterAll(async () => {
    await running.dispatcher.drop();
    await running.dispatcher.stop();
    await running.receiver.close();
  });
  return running;
}

/** Log lines carry their context, as those of the real logger do. */
function withContext(logger: ReturnType<typeof testLogger>): ReturnType<typeof testLogger> {
  const at = (level: keyof Logger) => (message: string, fields?: object) =>
    logger[level](message, { ...fields, ...currentContext.getStore() });
  return { lines: logger.lines, error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

/** A status change as the ticket service publishes it. */
export function statusChanged(
  audience: string[],
  title = 'Leak',
): DomainEvent<WebhookEventData<'status', StatusChange>> {
  const payload = {
    ticket: { id: 'a'.repeat(24), number: 'T-1', title },
    status: { from: 'opened', to: 'assigned' },
  };
  const [event] = toCloudEvents('ticket', [
    ticketStatusChanged({ audience, payload }, new Date('2026-11-21T08:00:00.000Z')),
  ]);
  return { ...event, id: randomUUID() } as DomainEvent<WebhookEventData<'status', StatusChange>>;
}

export function aCompany() {
  return aCaller({ permissions: ['api_webhooks', 'tickets'] });
}
