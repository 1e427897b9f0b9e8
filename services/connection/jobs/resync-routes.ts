import { type Route, route } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import type { AccountStore } from '../connections/account-store.ts';
import { unknownProvider } from '../connections/connection-routes.ts';
import type { Providers } from '../provider-client.ts';
import type { JobStore } from './job-store.ts';

type Deps = {
  providers: Providers;
  accounts: AccountStore;
  jobs: Pick<JobStore, 'want'>;
  wakeWorker: (connectionId: string) => void;
  now: () => Date;
};
type Resync = { provider: string; externalId: string };

/** What reconciliation asks on behalf of an operator: fetch this invoice again, whatever was fetched before. */
export function resyncRoutes({ providers, accounts, jobs, wakeWorker, now }: Deps): Route[] {
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
        const account = await accounts.activeOf(caller.companyId, provider);
        if (!account) {
          throw new AppError('not_found', 'connection_not_found', 'there is no active connection to this provider');
        }
        await jobs.want({ connectionId: account.id, externalIds: [externalId], resync: true, at: now() });
        wakeWorker(account.id);
        return { ok: true };
      },
    }),
  ];
}
