import { setTimeout as sleep } from 'node:timers/promises';
import type { Invoice } from '../../invoices/invoice.ts';
import { fileOf } from '../../invoices/invoice-file.ts';
import { createApi } from '../companies/demo-api.ts';
import { toSandbox } from '../plan/invoice.ts';
import { providerAccount } from './external-systems.ts';

const attempts = 10;

/** Acts as the demo company's AP provider, through the admin API of the sandbox. */
export type ProviderAdmin = ReturnType<typeof providerAdmin>;

export function providerAdmin(address: string) {
  const { apiKey, webhookSecret } = providerAccount;
  const { post } = createApi(address);
  return {
    async setAccount({ clientId, webhookUrl }: { clientId: string; webhookUrl: string }): Promise<void> {
      const account = { api_key: apiKey, client_id: clientId, webhook_url: webhookUrl };
      await post('/admin/accounts', { ...account, webhook_secret: webhookSecret });
    },
    /** Adds or changes an invoice; `notify` tells the platform by a signed webhook. */
    async put(invoice: Invoice, { notify }: { notify: boolean }): Promise<void> {
      const { name, type, bytes } = fileOf(invoice);
      const document = { name, type, base64: bytes.toString('base64') };
      await post('/admin/invoices', { api_key: apiKey, invoice: toSandbox(invoice), document });
      if (notify) await told(() => post('/admin/webhooks', { api_key: apiKey, invoice_ids: [invoice.id] }));
    },
    /** Refuses the feedback on an invoice: for ever as one that is down, or once as one that does not want it. */
    async refuseFeedback(invoiceId: string, how: 'down' | 'once'): Promise<void> {
      const on = `POST /invoices/${invoiceId}/feedback`;
      const refused = { code: 'buyer_unknown', message: 'this buyer is not known here' };
      if (how === 'down') await post('/admin/faults', { kind: 'status', status: 503, on });
      else await post('/admin/faults', { kind: 'status', status: 422, body: refused, times: 1, on });
    },
  };
}

/** The provider sends each webhook once: it is sent again until the platform has taken it. */
async function told(send: () => Promise<Record<string, unknown>>): Promise<void> {
  let result: unknown;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    result = (await send())['webhook'];
    if ((result as { status: number | null }).status === 202) return;
    await sleep(500 * attempt);
  }
  throw new Error(`the platform did not take a webhook of the provider: ${JSON.stringify(result)}`);
}
