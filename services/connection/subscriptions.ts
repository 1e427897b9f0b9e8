import { companyCreated, type FeedbackRequested, invoiceFeedbackRequested } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { CompanyStore } from './connections/company-store.ts';
import type { ProviderAccount } from './connections/connection.ts';
import type { ProviderAccountStore } from './connections/provider-account-store.ts';
import type { JobStore } from './jobs/job-store.ts';
import { feedbackOutcome } from './jobs/send-feedback.ts';

type Deps = {
  accounts: ProviderAccountStore;
  companies: CompanyStore;
  jobs: JobStore;
  notifyWorker: (connectionId: string) => void;
  now: () => Date;
};

/** The queues of this service and their handlers. Each write is idempotent, so there is no inbox. */
export function subscriptions({ accounts, companies, jobs, notifyWorker, now }: Deps): Record<string, Subscription[]> {
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
    feedback: [on(invoiceFeedbackRequested, ({ data }) => enqueueFeedback(data))],
  };
}

/** The connection that the invoice came by; if it is no longer active, the active one that replaced it. */
async function accountFor(accounts: ProviderAccountStore, request: FeedbackRequested): Promise<ProviderAccount | null> {
  const { connection_id: id, client_id: client, provider } = request;
  const own = await accounts.find(id);
  if (own?.state === 'active' && own.client === client && own.provider === provider) return own;
  return accounts.findActive(client, provider);
}
