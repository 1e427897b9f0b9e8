import { createHmac, randomBytes } from 'node:crypto';
import { readIban } from '@app/kernel';
import { type Account, bearer, internalToken, postJson } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { inBatches } from '../harness/in-batches.ts';
import { answersAt, portOf, startServer } from '../harness/servers.ts';
import type { BenchInvoice } from './invoice-dataset.ts';

/** The sandbox AP provider as a process of its own, with an account for the client. */
export type BenchProvider = {
  pid: number;
  /** Adds an invoice for each ticket without a webhook. Without `isNamed` it names no order, and its amount fits nothing. */
  addInvoices(invoices: readonly BenchInvoice[]): Promise<void>;
  /** Connects the client; invoices added before are never polled. */
  connect(): Promise<void>;
  /** Sends signed webhooks through the gateway; resolves once all are accepted. */
  sendWebhooks(ids: readonly string[]): Promise<void>;
};

const puts = { batchSize: 1, atOnce: 8 };
const webhooks = { batchSize: 10, atOnce: 4 };

export async function startProvider(bench: Bench, account: Account): Promise<BenchProvider> {
  const { platform } = bench;
  const address = platform.providerSandbox;
  const { pid } = await startServer(bench, {
    program: 'tools/demo/main.ts',
    args: ['sandbox'],
    env: { STACK_DIR: platform.stackDir },
    isReady: answersAt(Number(new URL(address).port), '/admin/calls'),
  });
  const [apiKey, secret] = [randomBytes(12).toString('hex'), randomBytes(24).toString('hex')];
  await postJson(`${address}/admin/accounts`, { api_key: apiKey });
  return {
    pid,
    addInvoices: (invoices) =>
      inBatches(invoices.length, puts, (at) =>
        postJson(`${address}/admin/invoices`, { api_key: apiKey, invoice: payload(invoices[at] as BenchInvoice) }),
      ),
    async connect() {
      const token = await internalToken(platform, { ...account.caller, via: 'session' });
      const url = `http://127.0.0.1:${portOf(platform, 'connection')}/invoice-connections`;
      await postJson(url, { provider: 'sandbox', apiKey, webhookSecret: secret }, bearer(token));
    },
    sendWebhooks: (ids) =>
      inBatches(ids.length, webhooks, (from, count) => {
        const events = ids.slice(from, from + count).map((invoiceId) => ({ invoiceId }));
        const body = { clientId: account.caller.companyId, events };
        const digest = createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex');
        const url = `${platform.tsApi}/webhooks/invoice-providers/sandbox`;
        return postJson(url, body, { 'x-sandbox-signature': `sha256=${digest}` });
      }),
  };
}

/** An account of the supplier alone: one that suppliers share has invoices wait for review. */
function ibanOf(siren: string): string {
  const account = `300060000100${siren}00`;
  const withKey = Array.from({ length: 97 }, (_, key) => `FR${String(key + 2).padStart(2, '0')}${account}`);
  return withKey.find((iban) => readIban(iban) !== null) as string;
}

function payload({ id, matchable, isNamed }: BenchInvoice): object {
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
