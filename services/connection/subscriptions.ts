import {
  type CompanyState,
  companyChanged,
  companyCreated,
  type FeedbackRequested,
  invoiceFeedbackRequested,
} from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { CompanyClosureStore } from './connections/company-closure-store.ts';
import type { CompanyStore } from './connections/company-store.ts';
import type { ProviderAccount } from './connections/connection.ts';
import type { ProviderAccountStore } from './connections/provider-account-store.ts';
import type { JobStore } from './jobs/job-store.ts';
import { feedbackOutcome } from './jobs/send-feedback.ts';

type Deps = {
  accounts: ProviderAccountStore;
  companies: CompanyStore;
  closures: CompanyClosureStore;
  connectionChanged: (connectionId: string, change: { stops: boolean }) => Promise<void>;
  jobs: JobStore;
  notifyWorker: (connectionId: string) => void;
  now: () => Date;
};

/** The queues of this service and their handlers. Each write is idempotent. */
export function subscriptions(deps: Deps): Record<string, Subscription[]> {
  const { accounts, companies, closures, connectionChanged, jobs, notifyWorker, now } = deps;

  async function applyClosure(company: CompanyState): Promise<void> {
    await closures.update(company);
    const { closed, connectionIds } = await closures.apply(company.id, now());
    for (const id of connectionIds) await connectionChanged(id, { stops: closed });
  }

  async function enqueueFeedback(request: FeedbackRequested): Promise<void> {
    const account = await accountFor(accounts, request);
    const at = now();
    if (!account) {
      const failed = feedbackOutcome(request, 'there is no active connection to this provider', at);
      return jobs.enqueueFeedback(request, at, failed);
    }
    await jobs.enqueueFeedback({ ...request, connection_id: account.id }, at);
    notifyWorker(account.id);
  }
  return {
    clients: [on(companyCreated, ({ data }) => companies.add(data.company.id))],
    closures: [on(companyChanged, ({ data }) => applyClosure(data.company))],
    feedback: [on(invoiceFeedbackRequested, ({ data }) => enqueueFeedback(data))],
  };
}

/**
 * The connection that the invoice came by or, if that is no longer active, the active one that replaced it. If the
 * company is closed, the job waits.
 */
async function accountFor(accounts: ProviderAccountStore, request: FeedbackRequested): Promise<ProviderAccount | null> {
  const { connection_id: id, client_id: client, provider } = request;
  const own = await accounts.find(id);
  const isCurrent = own?.state === 'active' || own?.state === 'suspended';
  if (isCurrent && own.client === client && own.provider === provider) return own;
  return accounts.findCurrent(client, provider);
}
