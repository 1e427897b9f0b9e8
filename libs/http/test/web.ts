import type { Caller } from '@app/contracts';
import { AppError } from '@app/kernel';
import { createIdempotencyKeys } from '@app/runtime/idempotency';
import { aCaller, signAs, signPrincipal, testDatabase, testLogger, verifyTestToken } from '@app/testing';
import Joi from 'joi';
import { createApp } from '../create-app.ts';
import { type Route, respond, responseSent, route } from '../routing/route.ts';
import { id } from '../routing/validate.ts';
import { listen } from '../server.ts';

export const aThing = '0123456789abcdef01234567';
export const noThing = 'ffffffffffffffffffffffff';

const oneThing = Joi.object({ thing_id: id.required() });
const newThing = Joi.object({
  title: Joi.string().max(20).required(),
  size: Joi.number().integer(),
  location_ids: Joi.array().items(id),
});
const anybody = { permission: null } as const;

/** Loads a thing, as the store of a service does: what is not there is not found. */
async function find({ params }: { params: { thing_id?: string } }): Promise<{ id: string }> {
  if (params.thing_id === noThing) throw new AppError('not_found', 'thing_not_found', 'no such thing');
  return { id: params.thing_id ?? '' };
}

const ofThings = { host: 'ticket', tag: 'Things', access: anybody, reply: { status: 200 } } as const;
const ofFiles = { host: 'download', tag: 'Files', access: 'public', reply: { status: 200 } } as const;
const internal = { host: 'internal', method: 'get', tag: 'Internal', reply: { status: 200 } } as const;

/** A service with a route of every kind; each answers what its handler was given. */
export const routes: Route[] = [
  route<object, { limit?: number; status?: string }>({
    ...ofThings,
    method: 'get',
    path: '/things',
    summary: 'List things',
    query: Joi.object({ limit: Joi.number().integer().max(100), status: Joi.string() }),
    reply: { status: 200, schema: Joi.object({ query: Joi.object() }) },
    handle: async ({ query }) => ({ query }),
  }),
  route<object, object, { title: string }>({
    ...ofThings,
    method: 'post',
    path: '/things',
    summary: 'Make a thing',
    access: { permission: 'tickets', only: { kind: 'client', code: 'clients_only', message: 'for clients' } },
    query: Joi.object({ dry_run: Joi.boolean() }),
    body: newThing,
    reply: { status: 201 },
    handle: async ({ body, caller: { companyId }, requestId, write }) => {
      return { body, requestId, companyId, isProtected: write !== null };
    },
  }),
  // Declared before the path that has fixed segments alone, which must match first all the same.
  route<{ thing_id: string }, object, object, { id: string }>({
    ...ofThings,
    method: 'get',
    path: '/things/:thing_id',
    summary: 'Read a thing',
    params: oneThing,
    load: find,
    handle: async ({ params, resource: found }) => ({ params, found }),
  }),
  route<{ thing_id: string }, object, { title: string }>({
    ...ofThings,
    method: 'put',
    path: '/things/:thing_id',
    summary: 'Change a thing',
    access: { permission: 'tickets' },
    params: oneThing,
    load: find as never,
    body: newThing,
    async handle({ body }) {
      throw new AppError('conflict', 'thing_frozen', 'it is frozen', {
        details: { from: 'frozen', title: body.title },
      });
    },
  }),
  route({
    ...ofThings,
    method: 'get',
    path: '/things/latest',
    summary: 'Read the latest thing',
    deprecated: { since: '2026-11-23', sunset: '2027-06-01', instead: '`GET /things`' },
    handle: async () => ({ latest: true }),
  }),
  route<{ thing_id: string }>({
    ...ofThings,
    host: 'ts',
    method: 'post',
    path: '/ts/things/:thing_id/touch',
    summary: 'Touch a thing',
    params: oneThing,
    reply: { status: 204 },
    handle: async () => undefined,
  }),
  route<{ thing_id: string; part_id: string }>({
    ...ofThings,
    method: 'delete',
    path: '/things/:thing_id/parts/:part_id',
    summary: 'Delete a part',
    params: Joi.object({ thing_id: id.required(), part_id: id.required() }),
    idCodes: { part_id: 'invalid_part_id' },
    reply: { status: 204 },
    handle: async () => undefined,
  }),
  route({
    ...internal,
    path: '/internal/platform',
    summary: 'For administration',
    access: 'platform',
    handle: async ({ principal }) => ({ principal }),
  }),
  route({
    ...internal,
    path: '/internal/service',
    summary: 'For services',
    access: 'service',
    handle: async ({ principal }) => ({ principal }),
  }),
  route({
    ...ofFiles,
    method: 'get',
    path: '/files/:name',
    summary: 'Read a file',
    async handle({ res, principal, caller }) {
      res.status(200).type('text/plain').end(JSON.stringify({ principal, caller }));
      return responseSent;
    },
  }),
  route({
    ...ofFiles,
    method: 'get',
    path: '/broken/:how',
    summary: 'Fail',
    async handle({ req, res }) {
      const how = req.params['how'] as string;
      if (how === 'halfway') {
        res.writeHead(200, { 'content-length': '100' });
        res.write('half');
      }
      if (how === 'left') {
        res.writeHead(200);
        res.write('half');
        await new Promise((resolve) => res.once('close', resolve));
      }
      const { [how]: error } = failures;
      throw error ?? new Error('secret detail');
    },
  }),
  route<object, object, { status: number }>({
    ...ofFiles,
    method: 'post',
    path: '/answers',
    summary: 'Answer as asked',
    body: Joi.object({ status: Joi.number().required() }),
    handle: async ({ body: { status } }) => respond(status, status === 204 ? undefined : { status }),
  }),
];

const failures: Record<string, Error> = {
  unavailable: new AppError('unavailable', 'service_unavailable', 'away'),
  overloaded: new AppError('overloaded', 'overloaded', 'too much'),
  timeout: new AppError('timeout', 'service_timeout', 'too slow'),
  database: Object.assign(new Error('no server'), { name: 'MongoServerSelectionError' }),
  'of-a-cause': new AppError('unavailable', 'thing_unavailable', 'away', {
    cause: new Error('no primary', { cause: new Error('connect ECONNREFUSED 10.0.0.7') }),
  }),
  // An error as axios throws it, with the status of another service's response: not the fault of
  // this service's client.
  'of-another': Object.assign(new Error('Request failed with status code 400'), { status: 400 }),
};

export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> };
type Options = {
  as?: Partial<Caller> | 'platform' | 'service' | null;
  body?: unknown;
  headers?: Record<string, string>;
};

async function credentials(as: Options['as']): Promise<Record<string, string>> {
  if (as === null) return {};
  if (as === 'platform') return signPrincipal({ kind: 'platform' });
  if (as === 'service') return signPrincipal({ kind: 'service', service: 'ticket' });
  return signAs(aCaller(as));
}

/** The app of `routes`, listening; `call` calls it as a client's administrator by default. */
export async function startWeb() {
  const logger = testLogger();
  const { connection, drop } = await testDatabase();
  const idempotencyKeys = createIdempotencyKeys({ connection, logger });
  const app = createApp({ routes, logger, verifyToken: verifyTestToken, idempotencyKeys });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const { port } = server;
  const close = async () => {
    await server.close();
    await drop();
  };
  const url = `http://127.0.0.1:${port}`;

  async function call(method: string, path: string, { as = {}, body, headers = {} }: Options = {}): Promise<Answer> {
    const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(await credentials(as)),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: sent as string }),
    });
    const answered = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json') && answered;
    return {
      status: response.status,
      headers: response.headers,
      text: answered,
      body: json ? (JSON.parse(answered) as Record<string, unknown>) : {},
    };
  }
  return { logger, url, port, call, close, connection };
}
