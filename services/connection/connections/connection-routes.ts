import { id, type Route, respond, route } from '@app/http';
import { AppError, newId } from '@app/kernel';
import type { Logger } from '@app/runtime';
import Joi from 'joi';
import { type JobStore, mostCounted } from '../jobs/job-store.ts';
import type { Providers } from '../provider-client.ts';
import type { AccountStore } from './account-store.ts';
import { type Connection, type ConnectionPatch, connectionView, type NewConnection } from './connection.ts';
import type { ConnectionStore } from './connection-store.ts';

type Deps = {
  connections: ConnectionStore;
  accounts: Pick<AccountStore, 'keepClient'>;
  jobs: Pick<JobStore, 'givenUp'>;
  providers: Providers;
  /** Has what works on a connection see its change: started, stopped, or called with another key. */
  changed: (connectionId: string, change: { stops: boolean }) => Promise<void>;
  logger: Logger;
  now: () => Date;
};

export const access = {
  permission: 'accounting',
  only: { kind: 'client', code: 'clients_only', message: 'client companies alone connect to providers of invoices' },
} as const;
const tag = 'Invoice connections';
const date = Joi.string().isoDate();

const apiKey = Joi.string().max(4096).description("the provider's API key; stored encrypted, never given back");
const webhookSecret = Joi.string()
  .max(512)
  .description('signs the webhooks of the provider; stored encrypted, never given back');
const params = Joi.object<{ id: string }>({ id: id.required() });

const view = Joi.object({
  id: id.required(),
  client: id.required(),
  provider: Joi.string().required(),
  active: Joi.boolean().required(),
  hasCredentials: Joi.boolean().required(),
  hasWebhookSecret: Joi.boolean().required(),
  lastPolledAt: date.allow(null).required(),
  health: Joi.object({
    status: Joi.string().valid('ok', 'unhealthy').required(),
    reason: Joi.string().valid('credentials_refused', 'fetches_failing', 'polls_failing').allow(null).required(),
    since: date.allow(null).required(),
  }).required(),
  failedInvoices: Joi.number()
    .integer()
    .min(0)
    .max(mostCounted)
    .required()
    .description(`invoices of the last 30 days whose fetch was given up, until it succeeds; ${mostCounted}: or more`),
  createdAt: date.required(),
  updatedAt: date.required(),
}).label('InvoiceConnection');

/** Invoice connections (spec section 4.3): secrets go in and never come out. */
export function connectionRoutes(deps: Deps): Route[] {
  return [listing(deps), creation(deps), change(deps), deletion(deps)];
}

function listing({ connections, jobs }: Deps): Route {
  return route({
    host: 'ts',
    method: 'get',
    path: '/invoice-connections',
    summary: "List the company's connections, active and inactive",
    tag,
    access,
    reply: { status: 200, schema: Joi.array().items(view) },
    handle: async ({ caller }) => {
      const found = await connections.list(caller.companyId);
      return Promise.all(found.map((connection) => shown(jobs, connection)));
    },
  });
}

function creation({ connections, accounts, providers, changed, logger, now }: Deps): Route {
  return route({
    host: 'ts',
    method: 'post',
    path: '/invoice-connections',
    summary: 'Connect the company to an AP provider',
    description:
      'A company has one active connection to a provider. 400 `unknown_provider`, 409 `connection_active_exists`.',
    tag,
    access,
    body: Joi.object<NewConnection>({
      provider: Joi.string().max(64).required(),
      apiKey: apiKey.required(),
      webhookSecret,
      active: Joi.boolean().default(true),
    }),
    reply: { status: 201, schema: view },
    async handle({ body, caller: { companyId, userId } }) {
      if (!providers.has(body.provider)) throw unknownProvider();
      await accounts.keepClient(companyId);
      const at = now();
      const connection = await connections.add({ ...body, id: newId(at), client: companyId, at });
      logger.info('connection created', { connectionId: connection.id, companyId, userId, provider: body.provider });
      if (connection.active) await changed(connection.id, { stops: false });
      return connectionView(connection, 0);
    },
  });
}

function change({ connections, jobs, changed, logger, now }: Deps): Route {
  return route<{ id: string }, object, ConnectionPatch, Connection>({
    host: 'ts',
    method: 'patch',
    path: '/invoice-connections/:id',
    summary: 'Replace the secrets of a connection, switch it on or off',
    description: 'At least one field. 409 `connection_active_exists` where it would be the second active one.',
    tag,
    access,
    params,
    load: (context) => existing(connections.find(context.params.id, context.caller.companyId)),
    body: Joi.object<ConnectionPatch>({ apiKey, webhookSecret, active: Joi.boolean() }).min(1),
    reply: { status: 200, schema: view },
    async handle({ resource: found, body, caller: { companyId, userId } }) {
      const connection = await existing(connections.change(found.id, companyId, { ...body, at: now() }));
      logger.info('connection changed', { connectionId: found.id, companyId, userId, fields: Object.keys(body) });
      await changed(found.id, { stops: !connection.active });
      return shown(jobs, connection);
    },
  });
}

function deletion({ connections, changed, logger, now }: Deps): Route {
  return route<{ id: string }, object, object, Connection>({
    host: 'ts',
    method: 'delete',
    path: '/invoice-connections/:id',
    summary: 'Delete a connection',
    description: 'Polling and webhooks stop at once, and so does what was queued.',
    tag,
    access,
    params,
    load: (context) => existing(connections.find(context.params.id, context.caller.companyId)),
    reply: { status: 204 },
    async handle({ resource: found, caller: { companyId, userId } }) {
      if (!(await connections.remove(found.id, companyId, now()))) throw notFound();
      logger.info('connection deleted', { connectionId: found.id, companyId, userId });
      await changed(found.id, { stops: true });
      return respond(204);
    },
  });
}

export function unknownProvider(): AppError {
  return new AppError('invalid', 'unknown_provider', 'there is no such provider');
}

async function shown(jobs: Deps['jobs'], connection: Connection): Promise<Record<string, unknown>> {
  return connectionView(connection, await jobs.givenUp(connection.id));
}

/** Another company's connection does not exist for the caller. */
export async function existing(found: Promise<Connection | null>): Promise<Connection> {
  const connection = await found;
  if (!connection) throw notFound();
  return connection;
}

function notFound(): AppError {
  return new AppError('not_found', 'connection_not_found', 'there is no such connection');
}
