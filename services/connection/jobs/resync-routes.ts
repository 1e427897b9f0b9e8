import { type Route, route } from '@app/http';
import Joi from 'joi';
import { noActiveConnection, unknownProvider } from '../connections/connection-routes.ts';
import type { ProviderAccountStore } from '../connections/provider-account-store.ts';
import type { Providers } from '../connections/provider-clients.ts';
import type { JobStore } from './job-store.ts';

type Deps = {
  providers: Providers;
  accounts: ProviderAccountStore;
  jobs: Pick<JobStore, 'enqueueFetches'>;
  notifyWorker: (connectionId: string) => void;
  now: () => Date;
};
type Resync = { provider: string; externalId: string };

/** For reconciliation, on behalf of an operator: fetches an invoice again and publishes it even if it has not changed. */
export function resyncRoutes({ providers, accounts, jobs, notifyWorker, now }: Deps): Route[] {
  return [
    route<object, object, Resync>({
      host: 'internal',
      method: 'post',
      path: '/internal/invoice-resyncs',
      summary: 'Queue an invoice for being fetched again',
      tag: 'Internal',
      access: { permission: 'accounting' },
      body: Joi.object<Resync>({ provider: Joi.string().required(), externalId: Joi.string().max(200).required() }),
      reply: { status: 202, schema: Joi.object({ ok: Joi.boolean().required() }) },
      async handle({ body: { provider, externalId }, caller }) {
        if (!providers.has(provider)) throw unknownProvider();
        const account = await accounts.findActive(caller.companyId, provider);
        if (!account) throw noActiveConnection();
        await jobs.enqueueFetches({ connectionId: account.id, externalIds: [externalId], resync: true, at: now() });
        notifyWorker(account.id);
        return { ok: true };
      },
    }),
  ];
}
