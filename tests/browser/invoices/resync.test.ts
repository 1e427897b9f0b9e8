import { eventually } from '@app/testing';
import { anInvoice, ok, provider } from '../../e2e/invoicing.ts';
import { expect, newPage, open } from '../browser.ts';
import { arrived, button, newBench, rows, useBenches } from './bench-pages.ts';

/** Invoices with an error are fetched again once the provider has corrected them. */
useBenches();

test('all invoices with an error are fetched again in one go; one that still has it stays', async () => {
  const bench = await newBench();
  const unreadable = { amounts: { ht: 'much', tva: 'more', ttc: 'most' } };
  const numbers = ['E-9001', 'E-9002', 'E-9003'];
  for (const number of numbers) await arrived(bench, { id: number, number, ...unreadable });
  const page = await newPage(bench.accountant, { expectedErrors: /status of 500/ });
  await open(page, '/invoices?list=review');
  await expect(rows(page)).toHaveCount(3);
  // Two are corrected there, and nobody is told.
  for (const number of numbers.slice(0, 2)) {
    const body = { api_key: bench.account.apiKey, invoice: anInvoice({ id: number, number }) };
    await ok(provider()('POST /admin/invoices', body));
  }
  const refusal = { error: 'the test lets this fail', code: 'internal' };
  await page.route('**/invoices/resync', (route) => route.fulfill({ status: 500, json: refusal }), { times: 1 });
  await button(page, 'Resync the 3 with an error').click();
  await expect(page.getByRole('status').filter({ hasText: 'Resync of 2 invoices requested' })).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: /the test lets this fail/i })).toBeVisible();
  await button(page, /^Resync the \d with an error$/).click();
  await eventually(async () => expect(await bench.account.queue()).toHaveLength(2));
  await page.reload();
  await expect(rows(page)).toHaveText([/Error/]);
  await expect(button(page, /^Resync the/)).toHaveCount(0);
});
