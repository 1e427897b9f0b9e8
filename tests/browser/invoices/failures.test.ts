import { eventually } from '@app/testing';
import type { Page } from '@playwright/test';
import { anInvoice, ok, provider } from '../../e2e/invoicing.ts';
import { expect, open } from '../browser.ts';
import { arrived, benchPage, button, newBench, newJob, rows, ticketReference, useBenches } from './bench-pages.ts';

/** What the bench says when answers fail or get lost, and when the provider has sent what cannot be read. */
useBenches();

/**
 * The first change at that path is carried out, and its answer is lost; `withReads`: and those of
 * all reads of the invoice after it.
 */
async function loseAnswer(page: Page, of: RegExp, id: string, withReads: boolean): Promise<void> {
  let isLost = false;
  await page.route(of, async (route) => {
    const response = await route.fetch();
    // 412: feedback has changed the invoice meanwhile, and the console sends the request again.
    if (isLost || response.status() === 412) return route.fulfill({ response });
    isLost = true;
    if (withReads) await page.route(new RegExp(`/invoices/${id}$`), (read) => read.abort());
    await route.abort();
  });
}

test('a link and an unlink whose answers are lost are announced once they are seen to be done', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak');
  const id = await arrived(bench, { number: 'W-8101', ...ticketReference(job) });
  const page = await benchPage(bench.accountant, { expectedErrors: /ERR_FAILED/ });
  await open(page, `/invoices/${id}`);
  await page.getByRole('radio', { name: new RegExp(`^${job.number}`) }).check();
  await loseAnswer(page, /\/link$/, id, false);
  await button(page, `Link to ${job.number}`).click();
  await expect(page.getByRole('status').filter({ hasText: `Linked to ${job.number}` })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await loseAnswer(page, /\/unlink$/, id, false);
  await button(page, 'Unlink').click();
  await expect(page.getByRole('status').filter({ hasText: `Unlinked from ${job.number}` })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('while the invoice cannot be read after a lost answer, it is said that nobody knows', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak');
  const id = await arrived(bench, { number: 'W-8201', ...ticketReference(job) });
  const page = await benchPage(bench.accountant, { expectedErrors: /ERR_FAILED/ });
  await open(page, '/invoices');
  await page.getByRole('radio', { name: new RegExp(`^${job.number}`) }).check();
  await loseAnswer(page, /\/link$/, id, true);
  await button(page, `Link to ${job.number}`).click();
  const notice = page.getByRole('alert').filter({ hasText: 'It is not known whether W-8201 was linked.' });
  await expect(notice).toBeVisible();
  await expect(page.getByText(`Linked to ${job.number}`)).toHaveCount(0);
});

test('suggestions that cannot be read are said to have failed, not to be none', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak');
  await arrived(bench, { number: 'D-7101' });
  await arrived(bench, { number: 'd 7101', ...ticketReference(job) });
  const page = await benchPage(bench.accountant, { expectedErrors: /status of 500/ });
  const candidates = /\/invoices\/[0-9a-f]{24}\/candidates/;
  const failed = { error: 'the test lets this fail', code: 'internal' };
  await page.route(candidates, (route) => route.fulfill({ status: 500, json: failed }));
  await open(page, '/invoices?list=review');
  await expect(page.getByRole('alert').filter({ hasText: failed.error }).first()).toBeVisible();
  await expect(page.getByText('No ticket matches well enough')).toHaveCount(0);
  await page.unroute(candidates);
  await page.getByRole('button', { name: 'Retry' }).first().click();
  await expect(page.getByRole('radio', { name: new RegExp(`^${job.number}`) })).toBeVisible();
});

test('all invoices with an error are fetched again in one go; one that still has it stays', async () => {
  const bench = await newBench();
  const unreadable = { amounts: { ht: 'much', tva: 'more', ttc: 'most' } };
  const numbers = ['E-9001', 'E-9002', 'E-9003'];
  for (const number of numbers) await arrived(bench, { id: number, number, ...unreadable });
  const page = await benchPage(bench.accountant, { expectedErrors: /status of 500/ });
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
