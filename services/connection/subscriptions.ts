import { companyCreated, type FeedbackRequested, invoiceFeedbackRequested } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { AccountStore } from './connections/account-store.ts';
import type { Account } from './connections/connection.ts';
import type { JobStore } from './jobs/job-store.ts';
import { settled } from './jobs/tell.ts';

type Deps = { accounts: AccountStore; jobs: JobStore; wakeWorker: (connectionId: string) => void; now: () => Date };

/** Everything that this service listens to: one queue for a purpose. The writes are the same twice, so there is no inbox. */
export function subscriptions({ accounts, jobs, wakeWorker, now }: Deps): Record<string, Subscription[]> {
  async function takeFeedback(request: FeedbackRequested): Promise<void> {
    const account = await accountFor(accounts, request);
    const at = now();
    if (!account) {
      return jobs.addFeedback(request, at, settled({ request }, 'there is no active connection to this provider', at));
    }
    await jobs.addFeedback({ ...request, connection_id: account.id }, at);
    wakeWorker(account.id);
  }
  return {
    clients: [on(companyCreated, ({ data }) => accounts.keepClient(data.company.id))],
    feedback: [on(invoiceFeedbackRequested, ({ data }) => takeFeedback(data))],
  };
}

/** The connection that the invoice came by or, where that is no more, the one that has taken its place. */
async function accountFor(accounts: AccountStore, request: FeedbackRequested): Promise<Account | null> {
  const { connection_id: id, client_id: client, provider } = request;
  const own = await accounts.find(id);
  if (own?.state === 'active' && own.client === client && own.provider === provider) return own;
  return accounts.activeOf(client, provider);
}
