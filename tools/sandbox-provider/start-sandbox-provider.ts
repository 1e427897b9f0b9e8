import { answerAdmin, type CallCount } from './admin.ts';
import { answerApi } from './api.ts';
import { createFaults, type Fault } from './faults.ts';
import {
  type Account,
  createLedger,
  type ReceivedFeedback,
  type SandboxInvoice,
  type StoredDocument,
} from './ledger.ts';
import { serve } from './serve.ts';
import { sendWebhook, type WebhookResult } from './webhook.ts';

export type SandboxProvider = {
  /** `PROVIDER_SANDBOX_URL` of the platform. */
  url: string;
  port: number;
  /** Adds or changes the account of an API key; without it, the key is 401. */
  setAccount(account: Pick<Account, 'apiKey'> & Partial<Account>): void;
  /** Adds an invoice, or changes the fields given of one that is there; `id` is made where there is none. */
  put(apiKey: string, fields: Record<string, unknown>, document?: StoredDocument | null): SandboxInvoice;
  remove(apiKey: string, id: string): void;
  /** One signed webhook naming these invoices, once. */
  notify(apiKey: string, invoiceIds: readonly string[]): Promise<WebhookResult>;
  /** From now on the API fails so, as often as it says. The admin paths never fail. */
  fail(fault: Fault): void;
  heal(): void;
  /** What was said of this account's invoices, oldest first. */
  feedback(apiKey: string): ReceivedFeedback[];
  /** Calls of the API since the start, failed ones included. */
  calls(): CallCount;
  close(): Promise<void>;
};

const mostPaths = 1_000;

/** The sandbox AP provider on loopback (README.md); port 0: any free one. Everything is in memory, bounded, gone with it. */
export async function startSandboxProvider({ port }: { port: number }): Promise<SandboxProvider> {
  const ledger = createLedger();
  const faults = createFaults();
  const byPath = new Map<string, number>();
  let count = 0;
  const calls = () => ({ count, byPath: Object.fromEntries(byPath) });
  const server = await serve(
    async (request) => {
      const admin = request.path.startsWith('/admin/');
      const reply = admin ? await answerAdmin({ ledger, faults, calls }, request) : answerApi(ledger, request);
      return reply ?? { status: 404, json: { code: 'not_found', message: 'there is no such path' } };
    },
    {
      port,
      async before(req, res) {
        const path = (req.url ?? '').split('?')[0] as string;
        if (path.startsWith('/admin/')) return false;
        count += 1;
        if (byPath.has(path) || byPath.size < mostPaths) byPath.set(path, (byPath.get(path) ?? 0) + 1);
        return faults.meet(req, res);
      },
    },
  );
  return {
    ...server,
    setAccount: (account) => ledger.setAccount({ clientId: null, webhookUrl: null, webhookSecret: null, ...account }),
    put: ledger.put,
    remove: ledger.remove,
    notify: async (apiKey, invoiceIds) => sendWebhook(ledger.accountOf(apiKey), invoiceIds),
    fail: faults.set,
    heal: faults.clear,
    feedback: ledger.feedbackOf,
    calls,
  };
}
