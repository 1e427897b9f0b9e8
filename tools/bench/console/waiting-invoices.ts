import { setTimeout as pause } from 'node:timers/promises';
import { pdfOf } from '@app/sandbox-provider';
import type { Bench } from '../harness/bench.ts';
import type { Account } from '../harness/platform/accounts.ts';
import { bearer, postJson } from '../harness/platform/post-json.ts';
import { startProvider } from '../invoices/bench-provider.ts';

const supplier = { name: 'Froid et Climat', siren: '732829320', siret: '73282932000074' };
const lookEveryMs = 200;
const waitsWithinMs = 120_000;

/** Gives the client that many invoices with a PDF in its queue, each with a ticket that is suggested. */
export async function addWaitingInvoices(bench: Bench, account: Account, howMany: number): Promise<void> {
  const api = `${bench.platform.ticketApi}/api/v3.0`;
  const asClient = bearer(account.apiToken);
  const contractor = await postJson(`${api}/contractors`, { name: supplier.name, siret: supplier.siret }, asClient);
  const provider = await startProvider(bench, account);
  const numbers: string[] = [];
  for (let n = 1; n <= howMany; n += 1) {
    const ticket = await postJson(`${api}/tickets`, { title: `Cold room ${n} is warm` }, asClient);
    const made = `${api}/tickets/${ticket['ticket_id']}`;
    await postJson(`${made}/assign`, { contractor_id: contractor['_id'] }, asClient);
    const reference = await numberOf(made, asClient);
    const number = `C-${1000 + n}`;
    numbers.push(number);
    await provider.addInvoice(invoiceOf(number, reference), documentOf(number, reference));
  }
  await provider.connect();
  await provider.sendWebhooks(numbers.map(idOf));
  await untilWaiting(bench, account, howMany);
}

async function numberOf(ticket: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(ticket, { headers });
  return ((await answer.json()) as { number: string }).number;
}

const idOf = (number: string) => number.toLowerCase();

function invoiceOf(number: string, ticket: string) {
  const [base, tva, ttc] = ['100.00', '20.00', '120.00'];
  return {
    ...{ id: idOf(number), number, issue_date: new Date().toISOString().slice(0, 10), currency: 'EUR' },
    supplier: { id: 'console', ...supplier },
    amounts: { ht: base, tva, ttc },
    vat_breakdown: [{ rate: '0.20', base, amount: tva }],
    lines: [{ label: 'Repair', quantity: '1', unit_price: base, ht: base, vat_rate: '0.20' }],
    references: { ticket },
  };
}

function documentOf(number: string, ticket: string) {
  const file = pdfOf([[`Invoice ${number}`, supplier.name, `Ticket ${ticket}`, 'Repair 100,00', 'Total 120,00 EUR']]);
  return { name: `${number}.pdf`, type: 'application/pdf', base64: file.toString('base64') };
}

/** @throws Error if they do not all come to wait for a person */
async function untilWaiting({ platform }: Bench, { session }: Account, howMany: number): Promise<void> {
  const deadline = performance.now() + waitsWithinMs;
  for (;;) {
    const answer = await fetch(`${platform.tsApi}/invoices?limit=200`, { headers: bearer(session) });
    const { items } = (await answer.json()) as { items: { suggestions: unknown[] }[] };
    if (items.filter(({ suggestions }) => suggestions.length > 0).length === howMany) return;
    if (performance.now() > deadline) throw new Error(`of ${howMany} invoices ${items.length} wait in the queue`);
    await pause(lookEveryMs);
  }
}
