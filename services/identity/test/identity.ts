import { randomBytes } from 'node:crypto';
import type { Permission, Principal, UserSnapshot } from '@app/contracts';
import { listen } from '@app/http';
import { connectBroker } from '@app/messaging';
import { connectMongo, type NamedKey } from '@app/runtime';
import {
  ensureIndexes,
  signPrincipal,
  testDatabase,
  testInfra,
  testLogger,
  testNamespace,
  verifyTestToken,
} from '@app/testing';
import type { Connection } from 'mongoose';
import { createApp } from '../app.ts';
import type { AnswerSettings } from '../mail/mail.ts';
import type { MailServer } from '../mail/mail-client.ts';
import { createPasswordHasher } from '../users/password.ts';

/**
 * Cheap hashes: by design a password costs 0.15 s of a core, and a test may guess fifty of them.
 */
const passwords = createPasswordHasher({ cost: { N: 1024, r: 8, p: 1 } });
export const platformAdminToken = 'platform-admin-token-of-the-tests';
export const previousAdminToken = 'platform-admin-token-of-last-year';
export const gateway: Principal = { kind: 'service', service: 'gateway' };
export const platform: Principal = { kind: 'platform' };
export const goodPassword = 'correct horse battery staple';

export type Answer = { status: number; headers: Headers; text: string; body: Record<string, never> & Body };
type Body = { [key: string]: unknown };
/** `text`: the answer is no JSON. */
type Options = { as?: Principal; body?: unknown; raw?: string; headers?: Record<string, string>; text?: true };
export type Call = (method: string, path: string, options?: Options) => Promise<Answer>;

type Settings = {
  sessionKeys?: NamedKey[];
  secureCookie?: boolean;
  mail?: MailServer | null;
  answers?: AnswerSettings | null;
  mailsPerDay?: number;
  mailLeaseMs?: number;
  sso?: NonNullable<Parameters<typeof createApp>[0]['sso']>;
  /** False: no workers run, like in a process that dies right after its response. */
  works?: boolean;
  streams?: NonNullable<Parameters<typeof createApp>[0]['streams']>;
};
export type Login = { token: string; principal: Principal; cookie: string };
export type Admin = Login & { companyId: string; id: string; email: string };

export const aKey = (id: string): NamedKey => ({ id, secret: randomBytes(32) });
export const code = ({ status, body }: Answer) => [status, body['code']];
export const fieldsAtFault = ({ body }: Answer) =>
  (body['errors'] as unknown as { path: string }[] | undefined)?.map(({ path }) => path);

/** The pages of a list, from first to last. */
export async function pagesOf<T>(get: (cursor: string) => Promise<Answer>): Promise<T[][]> {
  const pages: T[][] = [];
  for (let cursor = ''; ; ) {
    const { body } = await get(cursor);
    pages.push(body['items'] as unknown as T[]);
    if (body['nextCursor'] === null) return pages;
    cursor = `&cursor=${body['nextCursor']}`;
  }
}

/** The service for all tests of a file. */
export function useIdentity(settings: () => Settings = () => ({})): Identity {
  const identity = {} as Identity;
  beforeAll(async () => void Object.assign(identity, await startIdentity(settings())));
  afterAll(() => identity.stop());
  return identity;
}

/** For each test a company of its own with an admin, who is logged in. */
export function useAdmin(identity: Identity): Admin {
  const admin = {} as Admin;
  beforeEach(async () => void Object.assign(admin, await identity.admin()));
  return admin;
}

/** The real service on real infrastructure, an empty database, a clock that the test owns, and all log lines. */
async function startIdentity(settings: Settings = {}) {
  const namespace = testNamespace();
  const { connection, drop } = await testDatabase();
  const logger = testLogger();
  const broker = await connectBroker({ url: testInfra().amqpUrl, namespace, service: 'identity', logger });
  const clock = { now: new Date() };
  const answers: { request: string; answer: Answer }[] = [];
  const stops: (() => Promise<void>)[] = [];
  const sessionKeys = settings.sessionKeys ?? [aKey('first')];

  /** Another process of the same service: its own app and connection on the same database. */
  async function replica({ works = true, ...own }: Settings = {}): Promise<{ call: Call; url: string }> {
    const linked = await connectMongo({ url: testInfra().mongodbUrl, database: connection.name });
    const { handler, relay, mailWorker, streams, subscribe } = createApp({
      connection: linked,
      broker,
      logger,
      verifyToken: verifyTestToken,
      sessionKeys,
      platformAdminTokens: [platformAdminToken, previousAdminToken],
      secureCookie: true,
      publicUrl: 'https://ts.example/',
      passwords,
      now: () => clock.now,
      ...settings,
      ...own,
    });
    await ensureIndexes(linked);
    await subscribe();
    relay.start();
    if (works) mailWorker?.start();
    else await mailWorker?.stop();
    const server = await listen(handler, { host: '127.0.0.1', port: 0 });
    stops.push(async () => {
      await streams.stop();
      await server.close();
      await mailWorker?.stop();
      await relay.stop();
      await linked.close();
    });
    const url = `http://127.0.0.1:${server.port}`;
    return { call: caller(url, answers), url };
  }

  const { call, url } = await replica({ works: settings.works ?? true });
  /** A file that a route sends. */
  async function download({ principal }: Login, path: string): Promise<Buffer> {
    const response = await fetch(`${url}${path}`, { headers: await signPrincipal(principal) });
    if (response.status !== 200) throw new Error(await response.text());
    return Buffer.from(await response.arrayBuffer());
  }
  return {
    ...users(call),
    call,
    download,
    replica,
    clock,
    logger,
    answers,
    connection,
    namespace,
    async stop() {
      for (const stop of stops) await stop();
      await broker.close();
      await drop();
    },
  };
}

export type Identity = Awaited<ReturnType<typeof startIdentity>>;

/** Makes companies, users and logins through the API. */
function users(call: Call) {
  async function company(kind = 'client'): Promise<string> {
    const { body } = await call('POST', '/admin/companies', { as: platform, body: { name: 'Acme', kind } });
    return String(body['id']);
  }
  async function user(permissions: Permission[] = ['admin'], companyId?: string): Promise<UserSnapshot> {
    const body = { ...aUser(companyId ?? (await company())), permissions };
    const answer = await call('POST', '/admin/users', { as: platform, body });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body as unknown as UserSnapshot;
  }
  async function recognise(value: string, host = 'ts', kind = 'bearer'): Promise<Answer> {
    return call('POST', '/internal/credentials', { as: gateway, body: { kind, value, host } });
  }
  async function logIn(email: string, password = goodPassword): Promise<Login> {
    const { body, headers, status } = await call('POST', '/auth/login', { body: { email, password } });
    if (status !== 200) throw new Error(`login answered ${status}`);
    const token = String(body['token']);
    const { principal } = (await recognise(token)).body as unknown as { principal: Principal };
    return { token, principal, cookie: headers.get('set-cookie') ?? '' };
  }
  /** An admin of a company of its own. */
  async function admin(): Promise<Admin> {
    const { id, email, company_id: companyId } = await user();
    return { companyId, id, email, ...(await logIn(email)) };
  }
  const as = ({ principal, token }: Login, method: string, path: string, body?: unknown, headers = {}) =>
    call(method, path, { as: principal, body, headers: { 'x-session-token': token, ...headers } });
  const byPlatform = (method: string, path: string, body?: unknown) => call(method, path, { as: platform, body });
  const isValid = async (value: string, host = 'ts') => (await recognise(value, host)).status === 200;
  return { company, user, admin, recognise, isValid, logIn, as, byPlatform };
}

/** A valid body of POST /admin/users, with an address of its own. */
export function aUser(companyId: string) {
  return {
    company_id: companyId,
    email: `${randomBytes(6).toString('hex')}@acme.test`,
    password: goodPassword,
    first_name: 'Ada',
    last_name: 'Martin',
    permissions: ['admin'],
  };
}

/** All that is kept but attempts and outboxes, to compare before and after. */
export async function contents(connection: Connection): Promise<string> {
  const names = ['companies', 'users', 'sessions', 'api_tokens'];
  const all = await Promise.all(
    names.map((name) =>
      connection
        .collection(name)
        .find({}, { projection: { outbox: 0 } })
        .toArray(),
    ),
  );
  return JSON.stringify(all);
}

function caller(baseUrl: string, answers: { request: string; answer: Answer }[]): Call {
  return async (method, path, { as, body, raw, headers = {}, text: isText = false } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(as ? await signPrincipal(as) : {}),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await response.text();
    const isJson = text !== '' && !(isText && response.ok);
    const parsed = isJson ? JSON.parse(text) : {};
    const answer = { status: response.status, headers: response.headers, text, body: parsed };
    answers.push({ request: `${method} ${path}`, answer });
    return answer;
  };
}
