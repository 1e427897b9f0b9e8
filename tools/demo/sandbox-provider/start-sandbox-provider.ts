import { answerAdmin } from '../fake-server/admin.ts';
import { createFaults } from '../fake-server/faults.ts';
import { startHttpServer } from '../fake-server/http-server.ts';
import { adminOperations, type CallCount } from './admin.ts';
import { handleApi } from './api.ts';
import { type Account, Ledger, type ReceivedFeedback, type SandboxInvoice, type StoredDocument } from './ledger.ts';
import { sendWebhook, type WebhookResult } from './webhook.ts';

export type SandboxProvider = Awaited<ReturnType<typeof startSandboxProvider>>;

const maxPaths = 1_000;

/** The sandbox AP provider (README.md), on loopback. Port 0 is any free port. All data is in memory and bounded. */
export async function startSandboxProvider({ port }: { port: number }) {
  const ledger = new Ledger();
  const faults = createFaults();
  const byPath = new Map<string, number>();
  let count = 0;
  const calls = (): CallCount => ({ count, byPath: Object.fromEntries(byPath) });
  const operations = adminOperations(ledger, calls);
  const server = await startHttpServer(
    async (request) => {
      const admin = request.path.startsWith('/admin/');
      const reply = admin ? await answerAdmin(operations, faults, request) : handleApi({ ledger, faults }, request);
      return reply ?? { status: 404, json: { code: 'not_found', message: 'there is no such path' } };
    },
    {
      port,
      async before(req, res) {
        const path = (req.url ?? '').split('?')[0] as string;
        if (path.startsWith('/admin/')) return false;
        count += 1;
        if (byPath.has(path) || byPath.size < maxPaths) byPath.set(path, (byPath.get(path) ?? 0) + 1);
        return faults.apply(req, res);
      },
    },
  );
  return {
    ...server,
    /** Adds or changes the account of an API key. A key without an account is 401. */
    setAccount: (account: Pick<Account, 'apiKey'> & Partial<Account>): void =>
      ledger.setAccount({ clientId: null, webhookUrl: null, webhookSecret: null, ...account }),
    /** Adds an invoice, or changes the given fields of an existing one; generates a missing `id`. */
    put: (apiKey: string, fields: Record<string, unknown>, document?: StoredDocument | null): SandboxInvoice =>
      ledger.put(apiKey, fields, document),
    remove: (apiKey: string, id: string): void => ledger.remove(apiKey, id),
    /** Sends one signed webhook about these invoices, without retries. */
    notify: async (apiKey: string, invoiceIds: readonly string[]): Promise<WebhookResult> =>
      sendWebhook(ledger.accountOf(apiKey), invoiceIds),
    /** Makes the API fail. The admin paths never fail. */
    fail: faults.add,
    heal: faults.clear,
    /** The feedback on this account's invoices, oldest first. */
    feedback: (apiKey: string): ReceivedFeedback[] => ledger.feedbackOf(apiKey),
    /** Calls of the API since the start, including failed ones. */
    calls,
  };
}
