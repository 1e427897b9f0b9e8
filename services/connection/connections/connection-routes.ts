import { type AuditAction, type AuditChange, auditChanges, audited } from '@app/contracts';
import { answer, auditSource, byId, type Context, id, named, type Route, route } from '@app/http';
import { AppError, newId } from '@app/kernel';
import type { ConfiguredProvider } from '@app/providers';
import type { Logger } from '@app/runtime';
import { createAddressPolicy } from '@app/runtime/ssrf-guard';
import Joi from 'joi';
import type { CompanyClosureStore } from './company-closure-store.ts';
import type { CompanyStore } from './company-store.ts';
import {
  type Connection,
  type ConnectionPatch,
  type CredentialsInput,
  connectionResponse,
  maxCountedFailures,
  type NewConnection,
} from './connection.ts';
import type { ConnectionStore } from './connection-store.ts';
import type { Providers } from './provider-clients.ts';

type Deps = {
  connections: ConnectionStore;
  companies: CompanyStore;
  closures: Pick<CompanyClosureStore, 'apply'>;
  providers: Providers;
  /** Invoices of a connection whose fetch was given up, at most `maxCountedFailures`. */
  countFailures: (connectionId: string) => Promise<number>;
  /** Called after a change: background work on the connection starts, stops, or goes on with another key. */
  connectionChanged: (connectionId: string, change: { stops: boolean }) => Promise<void>;
  logger: Logger;
  now: () => Date;
};

const access = {
  permission: 'accounting',
  only: { kind: 'client', code: 'clients_only', message: 'client companies alone connect to providers of invoices' },
} as const;
/** What all routes of connections have in common. */
export const connectionRoute = { host: 'ts', tag: 'Invoice connections', access } as const;
const date = Joi.string().isoDate();

const publicHosts = createAddressPolicy();
const secrets = {
  apiKey: Joi.string().max(4096).description("the provider's API key; stored encrypted, never given back"),
  oauthClientId: Joi.string()
    .max(512)
    .description('of an OAuth2 client, instead of an API key, for a provider that takes one'),
  oauthClientSecret: Joi.string().max(4096).description('of that client; stored encrypted, never given back'),
  oauthTokenUrl: Joi.string()
    .max(2048)
    .custom((value: string, helpers) => {
      const violation = publicHosts.violation(value);
      return violation === null ? value : helpers.message({ custom: `{{#label}} ${violation}` });
    })
    .description(
      'where that client gets its tokens: https, a public host; without one, the address that the platform has for the provider',
    ),
  webhookSecret: Joi.string()
    .min(16)
    .max(512)
    .description('signs the webhooks of the provider; stored encrypted, never given back'),
};
const organizationId = Joi.string()
  .allow(null)
  .max(200)
  .pattern(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/)
  .description('whom the calls are about, if the credentials stand for several (`Organization-Id`)');
const client = ['oauthClientId', 'oauthClientSecret'] as const;
const clientOfUrl = ['oauthTokenUrl', 'oauthClientSecret'] as const;
const keyOrClient = ['apiKey', 'oauthClientSecret'] as const;

const response = named('InvoiceConnection', {
  id: id.required(),
  client: id.required(),
  provider: Joi.string().required(),
  active: Joi.boolean().required(),
  hasCredentials: Joi.boolean().required(),
  hasWebhookSecret: Joi.boolean().required(),
  hasSubscription: Joi.boolean()
    .required()
    .description('the provider calls back by a subscription that the connection made'),
  oauthClientId: Joi.string().allow(null).required(),
  oauthTokenUrl: Joi.string().allow(null).required(),
  organizationId: Joi.string().allow(null).required(),
  lastPolledAt: date.allow(null).required(),
  health: answer({
    status: Joi.string().valid('ok', 'unhealthy').required(),
    reason: Joi.string().valid('credentials_refused', 'fetches_failing', 'polls_failing').allow(null).required(),
    since: date.allow(null).required(),
  }).required(),
  failedInvoices: Joi.number()
    .integer()
    .min(0)
    .max(maxCountedFailures)
    .required()
    .description(
      `invoices of the last 30 days whose fetch was given up, until it succeeds; ${maxCountedFailures}: or more`,
    ),
  createdAt: date.required(),
  updatedAt: date.required(),
});

/** Create, list, change and delete connections. Secrets are write-only. */
export function connectionRoutes(deps: Deps): Route[] {
  return [listRoute(deps), createRoute(deps), changeRoute(deps), deleteRoute(deps)];
}

function listRoute({ connections, countFailures }: Deps): Route {
  return route({
    ...connectionRoute,
    method: 'get',
    path: '/invoice-connections',
    summary: "List the company's connections, active and inactive",
    reply: { status: 200, schema: Joi.array().items(response) },
    async handle({ caller }) {
      const found = await connections.list(caller.companyId);
      return Promise.all(found.map(async (one) => connectionResponse(one, await countFailures(one.id))));
    },
  });
}

function createRoute({ connections, companies, closures, providers, connectionChanged, logger, now }: Deps): Route {
  return route({
    ...connectionRoute,
    method: 'post',
    path: '/invoice-connections',
    summary: 'Connect the company to an AP provider',
    errors: [
      '400 unknown_provider',
      '400 oauth_not_supported',
      '400 oauth_token_url_required',
      '409 connection_active_exists',
      '409 connection_limit',
    ],
    description:
      'With an API key, or with an OAuth2 client. A company has one active connection to a provider. 400 `unknown_provider`, 409 `connection_active_exists`.',
    body: Joi.object<NewConnection>({
      ...secrets,
      // With the key's name in the fault of a request that has neither.
      apiKey: secrets.apiKey.when('oauthClientSecret', { is: Joi.exist(), otherwise: Joi.required() }),
      provider: Joi.string().max(64).required(),
      organizationId,
      active: Joi.boolean().default(true),
    })
      .and(...client)
      .with(...clientOfUrl)
      .nand(...keyOrClient),
    reply: { status: 201, schema: response },
    async handle({ body, caller: { companyId, userId }, write, ...request }) {
      const provider = providers.get(body.provider);
      if (!provider) throw unknownProvider();
      assertCredentials(provider, body);
      await companies.add(companyId);
      const at = now();
      const created = { ...body, id: newId(at), client: companyId };
      const changes = changesOf(null, body);
      const events = [auditEvent(created, { action: 'invoice_connection.created', changes, at }, request)];
      const connection = await connections.add({ ...created, at, events }, write);
      // The company may have been closed meanwhile.
      await closures.apply(companyId, at);
      logger.info('connection created', { connectionId: connection.id, companyId, userId, provider: body.provider });
      if (connection.active) await connectionChanged(connection.id, { stops: false });
      return connectionResponse(connection, 0);
    },
  });
}

function changeRoute({ connections, providers, countFailures, connectionChanged, logger, now }: Deps): Route {
  return route<{ id: string }, object, ConnectionPatch, Connection>({
    ...connectionRoute,
    method: 'patch',
    path: '/invoice-connections/:id',
    summary: 'Replace the secrets of a connection, switch it on or off',
    errors: [
      '400 oauth_not_supported',
      '400 oauth_token_url_required',
      '404 connection_not_found',
      '409 connection_active_exists',
    ],
    description:
      'At least one field. An OAuth2 client replaces an API key, and the reverse; it is given whole. 409 `connection_active_exists` if it would be the second active one.',
    params: byId,
    load: (context) => orNotFound(connections.find(context.params.id, context.caller.companyId)),
    body: Joi.object<ConnectionPatch>({
      ...secrets,
      organizationId,
      active: Joi.boolean(),
    })
      .min(1)
      .and(...client)
      .with(...clientOfUrl)
      .nand(...keyOrClient),
    reply: { status: 200, schema: response },
    async handle({ resource: found, body, caller: { companyId, userId }, ...request }) {
      const { id: connectionId } = found;
      const provider = providers.get(found.provider);
      if (provider) assertCredentials(provider, body);
      const at = now();
      const changes = changesOf(found, body);
      const event = auditEvent(found, { action: 'invoice_connection.changed', changes, at }, request);
      const change = { ...body, at, events: changes.length > 0 ? [event] : [] };
      const connection = await orNotFound(connections.change(connectionId, companyId, change));
      logger.info('connection changed', { connectionId, companyId, userId, fields: Object.keys(body) });
      await connectionChanged(connectionId, { stops: !connection.active });
      return connectionResponse(connection, await countFailures(connectionId));
    },
  });
}

function deleteRoute({ connections, connectionChanged, logger, now }: Deps): Route {
  return route<{ id: string }, object, object, Connection>({
    ...connectionRoute,
    method: 'delete',
    path: '/invoice-connections/:id',
    summary: 'Delete a connection',
    errors: ['404 connection_not_found'],
    description: 'Polling and webhooks stop at once, and so does what was queued.',
    params: byId,
    load: (context) => orNotFound(connections.find(context.params.id, context.caller.companyId)),
    reply: { status: 204 },
    async handle({ resource: found, caller: { companyId, userId }, ...request }) {
      const { id: connectionId } = found;
      const at = now();
      const event = auditEvent(found, { action: 'invoice_connection.deleted', changes: [], at }, request);
      if (!(await connections.remove(connectionId, companyId, { at, events: [event] }))) throw notFound();
      logger.info('connection deleted', { connectionId, companyId, userId });
      await connectionChanged(connectionId, { stops: true });
    },
  });
}

type Request = Pick<Context<never, never, never, never>, 'principal' | 'req'>;
type AuditedChange = { action: AuditAction; changes: AuditChange[]; at: Date };
type Changed = Pick<Connection, 'id' | 'client' | 'provider'>;

/** For the audit log of the company. */
export function auditEvent(
  { id, client, provider }: Changed,
  { action, changes, at }: AuditedChange,
  request: Request,
) {
  const target = { kind: 'invoice_connection', id, name: provider };
  return audited({ companyId: client, action, ...auditSource(request), target, changes }, at);
}

/** A secret that is sent again counts as changed: the old one is encrypted and cannot be compared. */
function changesOf(found: Connection | null, input: ConnectionPatch & { provider?: string }): AuditChange[] {
  return auditChanges(found && { ...found }, input, {
    names: Object.keys(input),
    shown: ['provider', 'active', 'oauthClientId', 'oauthTokenUrl', 'organizationId'],
  });
}

/** @throws AppError invalid `oauth_not_supported`, `oauth_token_url_required` */
function assertCredentials({ provider, tokenUrl }: ConfiguredProvider, given: CredentialsInput): void {
  if (given.oauthClientId === undefined) return;
  if (!provider.capabilities.oauth) {
    throw new AppError('invalid', 'oauth_not_supported', 'this provider takes an API key, no OAuth2 client');
  }
  if (given.oauthTokenUrl === undefined && tokenUrl === null) {
    throw new AppError(
      'invalid',
      'oauth_token_url_required',
      'oauthTokenUrl is needed: the platform has no address for this provider',
    );
  }
}

export function unknownProvider(): AppError {
  return new AppError('invalid', 'unknown_provider', 'there is no such provider');
}

export function noActiveConnection(): AppError {
  return new AppError('not_found', 'connection_not_found', 'there is no active connection to this provider');
}

/** @throws AppError not_found `connection_not_found`, also for another company's connection, which is never loaded */
export async function orNotFound(loading: Promise<Connection | null>): Promise<Connection> {
  const connection = await loading;
  if (!connection) throw notFound();
  return connection;
}

function notFound(): AppError {
  return new AppError('not_found', 'connection_not_found', 'there is no such connection');
}
