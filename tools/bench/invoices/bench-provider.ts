import { createHmac, randomBytes } from 'node:crypto';
import { startSandboxProvider } from '@app/demo';
import { readIban } from '@app/kernel';
import { type Account, bearer, internalToken, postJson } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { inBatches } from '../harness/in-batches.ts';
import { portOf } from '../harness/servers.ts';
import type { BenchInvoice } from './invoice-dataset.ts';

/** The sandbox AP provider, with an account for the client. */
export type BenchProvider = Awaited<ReturnType<typeof startProvider>>;

const webhooks = { batchSize: 10, atOnce: 4 };

export async function startProvider({ platform }: Bench, account: Account) {
  const sandbox = await startSandboxProvider({ port: Number(new URL(platform.providerSandbox).port) });
  const [apiKey, secret] = [randomBytes(12).toString('hex'), randomBytes(24).toString('hex')];
  sandbox.setAccount({ apiKey });
  return {
    /** Adds an invoice for each ticket without a webhook. Without `isNamed` it names no order, and its amount fits nothing. */
    addInvoices(invoices: readonly BenchInvoice[]): void {
      for (const one of invoices) sandbox.put(apiKey, payload(one));
    },
    /** Connects the client; invoices added before are never polled. */
    async connect(): Promise<void> {
      const token = await internalToken(platform, { ...account.caller, via: 'session' });
      const url = `http://127.0.0.1:${portOf(platform, 'connection')}/invoice-connections`;
      await postJson(url, { provider: 'sandbox', apiKey, webhookSecret: secret }, bearer(token));
    },
    /** Sends signed webhooks through the gateway; resolves once all are accepted. */
    sendWebhooks: (ids: readonly string[]): Promise<void> =>
      inBatches(ids.length, webhooks, (from, count) => {
        const events = ids.slice(from, from + count).map((invoiceId) => ({ invoiceId }));
        const body = { clientId: account.caller.companyId, events };
        const digest = createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex');
        const url = `${platform.tsApi}/webhooks/invoice-providers/sandbox`;
        return postJson(url, body, { 'x-sandbox-signature': `sha256=${digest}` });
      }),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

/** An account of the supplier alone: one that suppliers share has invoices wait for review. */
function ibanOf(siren: string): string {
  const account = `300060000100${siren}00`;
  const withKey = Array.from({ length: 97 }, (_, key) => `FR${String(key + 2).padStart(2, '0')}${account}`);
  return withKey.find((iban) => readIban(iban) !== null) as string;
}

function payload({ id, matchable, isNamed }: BenchInvoice): Record<string, unknown> {
  const { supplier, reference } = matchable;
  const ht = isNamed ? matchable.amount : 7.77;
  const [base, tva, ttc] = [ht, ht * 0.2, ht * 1.2].map((amount) => amount.toFixed(2));
  const line = (label: string) => ({ label, quantity: '1', unit_price: base, ht: base, vat_rate: '0.20' });
  return {
    id,
    number: `F-${id}`,
    issue_date: new Date().toISOString().slice(0, 10),
    currency: 'EUR',
    supplier: { id: supplier.id, name: supplier.name, siren: supplier.siren, iban: ibanOf(supplier.siren) },
    amounts: { ht: base, tva, ttc },
    vat_breakdown: [{ rate: '0.20', base, amount: tva }],
    lines: [line('Call-out, refrigerant leak search and repair of the cold room'), line('Travel')],
    references: isNamed ? { purchase_order: reference } : {},
    notes: ['Payment within 30 days by transfer'],
  };
}
