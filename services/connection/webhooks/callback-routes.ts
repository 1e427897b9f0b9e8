import { addressBlock, answer, forwardedAddress, type Route, route } from '@app/http';
import { AppError, isId, parseJson } from '@app/kernel';
import type { Logger, SecretBox } from '@app/runtime';
import Joi from 'joi';
import { type ProviderAccount, sealContext } from '../connections/connection.ts';
import { noActiveConnection } from '../connections/connection-routes.ts';
import type { ProviderAccountStore } from '../connections/provider-account-store.ts';
import type { Providers } from '../connections/provider-clients.ts';
import type { JobStore } from '../jobs/job-store.ts';
import { listedInvoices } from '../polls/poll-window.ts';
import { type SignatureLimit, tooManyWrong, wrongSignature } from './signature-limit.ts';

type Deps = {
  providers: Providers;
  accounts: Pick<ProviderAccountStore, 'find'>;
  jobs: Pick<JobStore, 'enqueueListed'>;
  secrets: SecretBox;
  wrongSignatures: SignatureLimit;
  notifyWorker: (connectionId: string) => void;
  logger: Logger;
  now: () => Date;
};
type Params = { provider: string; connectionId: string };

/** For the documentation: what the provider's form reads decides. */
const flow = Joi.object({
  flowId: Joi.string().required().description("the provider's id"),
  flowType: Joi.string().description(
    '`SupplierInvoice`, or `SupplierInvoiceLC` for what is said of one; anything else is left',
  ),
  flowDirection: Joi.string().description('`In`; anything else is left'),
  updatedAt: Joi.string().isoDate(),
}).unknown();

/** A provider calls back by the subscription that a connection made; answered once what changed is stored as jobs. */
export function callbackRoutes({ providers, accounts, jobs, secrets, wrongSignatures, ...deps }: Deps): Route[] {
  const { notifyWorker, logger, now } = deps;

  async function find({ provider, connectionId }: Params): Promise<ProviderAccount | null> {
    const account = isId(connectionId) ? await accounts.find(connectionId.toLowerCase()) : undefined;
    return account?.state === 'active' && account.provider === provider ? account : null;
  }

  function signingKeyOf({ id, subscription }: ProviderAccount): string {
    const sealed = subscription?.sealedSigningKey;
    return sealed ? secrets.open(sealed, sealContext(id, 'signingKey')) : '';
  }

  return [
    route<Params, object, Buffer>({
      host: 'ts',
      method: 'post',
      path: '/webhooks/invoice-providers/:provider/:connectionId',
      summary: 'Callback of an AP provider to a connection',
      errors: ['401 invalid_signature', '404 unknown_provider', '404 connection_not_found', '429 too_many_attempts'],
      description:
        'For a connection that subscribed at its provider. XP Z12-013: the body is a flow, `Afnor-Signature` is `base64(HMAC-SHA256(<signing key>, SHA256(<raw body> + "@" + <time>)))`, and `Afnor-Signature-Timestamp` the time in Unix seconds, at most 300 s old or ahead.',
      tag: 'Invoice connections',
      access: 'public',
      params: Joi.object<Params>({ provider: Joi.string().required(), connectionId: Joi.string().required() }),
      rawBody: flow,
      reply: { status: 200, schema: answer({ accepted: Joi.number().integer() }) },
      async handle({ params, body: raw, req, res }) {
        const callback = providers.get(params.provider)?.provider.callback;
        if (!callback)
          throw new AppError('not_found', 'unknown_provider', 'there is no such provider, or it does not call back');
        const account = await find(params);
        const sender = { address: addressBlock(forwardedAddress(req)), connectionId: account?.id ?? null };
        const { allowed, retryAfterS } = wrongSignatures.peek(sender);
        if (!allowed) throw tooManyWrong(res, retryAfterS);
        const signedAt = account && callback.signedAt(raw, req.headers, signingKeyOf(account), now());
        if (!signedAt) wrongSignatures.failed(sender);
        if (!account) throw noActiveConnection();
        if (!signedAt) throw wrongSignature();
        const listed = listedInvoices({ changes: callback.read(parseJson(raw)), answeredAt: signedAt });
        await jobs.enqueueListed(listed, { connectionId: account.id, at: now() });
        notifyWorker(account.id);
        logger.debug('callback accepted', { connectionId: account.id, changes: listed.length });
        return { accepted: listed.length };
      },
    }),
  ];
}
