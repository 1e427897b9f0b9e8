import { named, type Route, route } from '@app/http';
import { ProviderError } from '@app/providers';
import { withTimeout } from '@app/runtime';
import Joi from 'joi';
import { isCallable } from './connection.ts';
import type { ProviderAccountStore } from './provider-account-store.ts';
import type { ProviderClients } from './provider-clients.ts';

type Deps = { accounts: ProviderAccountStore; clients: ProviderClients; now: () => Date };
type Asked = { provider: string; siren: string; siret: string | null };
type Answer = { address: string | null; failure: string | null };

/** Less than reconciliation waits. What takes longer is known to those who ask next. */
const answeredWithinMs = 4_000;

/** For reconciliation, on behalf of a person: where a supplier receives whose invoice does not say it. */
export function supplierAddressRoutes({ accounts, clients, now }: Deps): Route[] {
  async function find(company: string, { provider, siren, siret }: Asked): Promise<Answer> {
    const account = await accounts.findActive(company, provider);
    if (!account) return { address: null, failure: 'there is no active connection to this provider' };
    if (!isCallable(account, now())) return { address: null, failure: 'the connection is paused' };
    const { directory } = clients.of(account).client;
    if (!directory) return { address: null, failure: null };
    try {
      const asked = directory.addressOf({ siren, siret, given: null });
      return { address: await withTimeout(asked, { ms: answeredWithinMs, what: 'the directory' }), failure: null };
    } catch (error) {
      if (error instanceof ProviderError) return { address: null, failure: error.message };
      return { address: null, failure: 'the directory has not answered yet' };
    }
  }

  return [
    route<object, object, Asked>({
      host: 'internal',
      method: 'post',
      path: '/internal/supplier-addresses',
      summary: 'Ask the directory where a supplier receives',
      tag: 'Internal',
      access: { permission: 'accounting' },
      body: Joi.object<Asked>({
        provider: Joi.string().required(),
        siren: Joi.string()
          .pattern(/^\d{9}$/)
          .required(),
        siret: Joi.string()
          .pattern(/^\d{14}$/)
          .allow(null)
          .required(),
      }),
      reply: {
        status: 200,
        schema: named('SupplierAddress', {
          address: Joi.string().allow(null).description('of scheme 0225; null: none is in use, unless it failed'),
          failure: Joi.string().allow(null).description('why the directory could not be asked'),
        }),
      },
      handle: ({ body, caller }) => find(caller.companyId, body),
    }),
  ];
}
