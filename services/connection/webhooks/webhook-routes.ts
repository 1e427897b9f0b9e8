import { bodyOptions, type Route, route, validate } from '@app/http';
import { AppError } from '@app/kernel';
import type { KnownProvider } from '@app/providers';
import type { Logger, SecretBox } from '@app/runtime';
import Joi from 'joi';
import type { AccountStore } from '../connections/account-store.ts';
import { type Account, sealContext } from '../connections/connection.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Providers } from '../provider-client.ts';
import { createKnownCompanies, type KnownCompanies } from './known-companies-store.ts';
import { readNotice, unknownClient } from './notice.ts';

type Deps = {
  providers: Providers;
  accounts: AccountStore;
  jobs: Pick<JobStore, 'want'>;
  secrets: SecretBox;
  wakeWorker: (connectionId: string) => void;
  logger: Logger;
  now: () => Date;
};

type Events = { events: { invoiceId: string }[] };

const mostEvents = 1_000;

const event = Joi.object<{ invoiceId: string }>({
  invoiceId: Joi.string().max(200).required().description("the provider's id of the invoice"),
}).unknown();
/** What a provider sends besides is its own affair: a field that it adds must not stop its webhooks. */
const notice = Joi.object<{ clientId: string } & Events>({
  clientId: Joi.string().required().description('the company that it is for'),
  events: Joi.array().items(event).required().description(`at most ${mostEvents}`),
}).unknown();

/** The inbound provider webhook (spec section 4.3): answered once its events are safe, fetched afterwards. */
export function webhookRoutes(deps: Deps): Route[] {
  const { providers, accounts, jobs, wakeWorker, logger, now } = deps;
  const clients = createKnownCompanies({ accounts, now });
  return [
    route<{ provider: string }, object, Buffer>({
      host: 'ts',
      method: 'post',
      path: '/webhooks/invoice-providers/:provider',
      summary: 'Inbound webhook of an AP provider',
      description:
        'Signed by the provider: `x-<provider>-signature: sha256=<hex HMAC-SHA256 of the raw body>` with the webhook secret of the connection, or `t=<unix time>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, at most 300 s old.',
      tag: 'Invoice connections',
      access: 'public',
      params: Joi.object<{ provider: string }>({ provider: Joi.string().required() }),
      rawBody: notice,
      reply: { status: 202, schema: Joi.object({ accepted: Joi.number().integer().required() }) },
      async handle({ params, body: raw, req }) {
        const known = providers.get(params.provider);
        if (!known) throw new AppError('not_found', 'unknown_provider', 'there is no such provider');
        const { clientId, body } = readNotice(raw);
        const account = await accountOf({ accounts, clients }, clientId, params.provider);
        const header = req.headers[`x-${params.provider}-signature`];
        verify(deps, { known, account, raw, header: typeof header === 'string' ? header : undefined });
        const { events } = readEvents(body);
        const externalIds = events.map(({ invoiceId }) => invoiceId);
        await jobs.want({ connectionId: account.id, externalIds, at: now() });
        wakeWorker(account.id);
        logger.debug('webhook accepted', { connectionId: account.id, events: events.length });
        return { accepted: events.length };
      },
    }),
  ];
}

type Known = { accounts: AccountStore; clients: KnownCompanies };

async function accountOf({ accounts, clients }: Known, clientId: string, provider: string): Promise<Account> {
  const account = await accounts.activeOf(clientId, provider);
  if (account) return account;
  if (!(await clients.isClient(clientId))) throw unknownClient();
  throw new AppError('not_found', 'connection_not_found', 'this client has no active connection to this provider');
}

type Signed = { known: KnownProvider; account: Account; raw: Buffer; header: string | undefined };

/** Over the bytes as they came; a connection without a secret trusts no signature. */
function verify({ secrets, now }: Deps, { known, account, raw, header }: Signed): void {
  const { id, sealedWebhookSecret: sealed } = account;
  const isRight =
    sealed !== null &&
    known.provider.verifySignature(raw, header, secrets.open(sealed, sealContext(id, 'webhookSecret')), now());
  if (!isRight) throw new AppError('unauthenticated', 'invalid_signature', 'the signature is missing or wrong');
}

/** The size is looked at first: what is too much is not checked one by one. */
function readEvents(body: object): Events {
  const events: unknown = Reflect.get(body, 'events');
  if (Array.isArray(events) && events.length > mostEvents) {
    throw new AppError('too_large', 'too_many_events', `a webhook has at most ${mostEvents} events`);
  }
  return validate(notice, body, bodyOptions);
}
