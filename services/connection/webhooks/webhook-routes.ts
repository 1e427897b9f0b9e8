import { addressBlock, answer, bodyOptions, forwardedAddress, type Route, route, validate } from '@app/http';
import { AppError } from '@app/kernel';
import type { ConfiguredProvider } from '@app/providers';
import type { Logger, SecretBox } from '@app/runtime';
import Joi from 'joi';
import type { CompanyStore } from '../connections/company-store.ts';
import { type ProviderAccount, sealContext } from '../connections/connection.ts';
import { noActiveConnection } from '../connections/connection-routes.ts';
import type { ProviderAccountStore } from '../connections/provider-account-store.ts';
import type { Providers } from '../connections/provider-clients.ts';
import type { JobStore } from '../jobs/job-store.ts';
import { createCompanyLookup } from './company-lookup.ts';
import { parseProviderWebhook, unknownClient } from './provider-webhook.ts';
import { type SignatureLimit, tooManyWrong, wrongSignature } from './signature-limit.ts';

type Deps = {
  providers: Providers;
  accounts: ProviderAccountStore;
  companies: CompanyStore;
  jobs: Pick<JobStore, 'enqueueFetches'>;
  secrets: SecretBox;
  wrongSignatures: SignatureLimit;
  notifyWorker: (connectionId: string) => void;
  logger: Logger;
  now: () => Date;
};

type WebhookEvents = { events: { invoiceId: string }[] };

const maxEvents = 1_000;

/** Unknown fields are allowed: a field that a provider adds must not stop its webhooks. */
const event = Joi.object<{ invoiceId: string }>({
  invoiceId: Joi.string().max(200).required().description("the provider's id of the invoice"),
}).unknown();
const webhook = Joi.object<{ clientId: string } & WebhookEvents>({
  clientId: Joi.string().required().description('the company that it is for'),
  events: Joi.array().items(event).required().description(`at most ${maxEvents}`),
}).unknown();

/** The inbound provider webhook: answered once its events are stored as jobs. */
export function webhookRoutes(deps: Deps): Route[] {
  const { providers, accounts, companies, jobs, wrongSignatures, notifyWorker, logger, now } = deps;
  const companyLookup = createCompanyLookup({ companies, now });
  return [
    route<{ provider: string }, object, Buffer>({
      host: 'ts',
      method: 'post',
      path: '/webhooks/invoice-providers/:provider',
      summary: 'Inbound webhook of an AP provider',
      errors: [
        '400 client_id_required',
        '400 client_unknown',
        '401 invalid_signature',
        '404 unknown_provider',
        '404 connection_not_found',
        '413 too_many_events',
        '429 too_many_attempts',
      ],
      description:
        'Signed by the provider: `x-<provider>-signature: sha256=<hex HMAC-SHA256 of the raw body>` with the webhook secret of the connection, or `t=<unix time>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, at most 300 s old.',
      tag: 'Invoice connections',
      access: 'public',
      params: Joi.object<{ provider: string }>({ provider: Joi.string().required() }),
      rawBody: webhook,
      reply: { status: 202, schema: answer({ accepted: Joi.number().integer() }) },
      async handle({ params, body: raw, req, res }) {
        const provider = providers.get(params.provider);
        if (!provider) throw new AppError('not_found', 'unknown_provider', 'there is no such provider');
        const { clientId, body } = parseProviderWebhook(raw);
        const account = await accounts.findActive(clientId, params.provider);
        const sender = { address: addressBlock(forwardedAddress(req)), connectionId: account?.id ?? null };
        const { allowed, retryAfterS } = wrongSignatures.peek(sender);
        if (!allowed) throw tooManyWrong(res, retryAfterS);
        if (!account) {
          if (await companyLookup.exists(clientId)) throw noActiveConnection();
          wrongSignatures.failed(sender);
          throw unknownClient();
        }
        const header = req.headers[`x-${params.provider}-signature`];
        const signed = { provider, account, raw, header: typeof header === 'string' ? header : undefined };
        if (!isSigned(deps, signed)) {
          wrongSignatures.failed(sender);
          throw wrongSignature();
        }
        const { events } = readEvents(body);
        const externalIds = events.map(({ invoiceId }) => invoiceId);
        await jobs.enqueueFetches({ connectionId: account.id, externalIds, at: now() });
        notifyWorker(account.id);
        logger.debug('webhook accepted', { connectionId: account.id, events: events.length });
        return { accepted: events.length };
      },
    }),
  ];
}

type SignedWebhook = {
  provider: ConfiguredProvider;
  account: ProviderAccount;
  raw: Buffer;
  header: string | undefined;
};

/** Verifies the signature of the raw bytes. A connection without a secret accepts none. */
function isSigned({ secrets, now }: Deps, { provider, account, raw, header }: SignedWebhook): boolean {
  const { id, sealedWebhookSecret: sealed } = account;
  return (
    sealed !== null &&
    provider.provider.verifySignature(raw, header, secrets.open(sealed, sealContext(id, 'webhookSecret')), now())
  );
}

/** Checks the number of events before it validates each of them. */
function readEvents(body: object): WebhookEvents {
  const events: unknown = Reflect.get(body, 'events');
  if (Array.isArray(events) && events.length > maxEvents) {
    throw new AppError('too_large', 'too_many_events', `a webhook has at most ${maxEvents} events`);
  }
  return validate(webhook, body, bodyOptions);
}
