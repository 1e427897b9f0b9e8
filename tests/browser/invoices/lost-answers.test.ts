import type { Page } from '@playwright/test';
import { expect, newPage, open } from '../browser.ts';
import { arrived, button, newBench, newJob, ticketReference, useBenches } from './bench-pages.ts';

/** Links and unlinks that were carried out, and whose answers did not arrive. */
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
  const page = await newPage(bench.accountant, { expectedErrors: /ERR_FAILED|status of 412/ });
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
  const page = await newPage(bench.accountant, { expectedErrors: /ERR_FAILED|status of 412/ });
  await open(page, '/invoices');
  await page.getByRole('radio', { name: new RegExp(`^${job.number}`) }).check();
  await loseAnswer(page, /\/link$/, id, true);
  await button(page, `Link to ${job.number}`).click();
  const notice = page.getByRole('alert').filter({ hasText: 'It is not known whether W-8201 was linked.' });
  await expect(notice).toBeVisible();
  await expect(page.getByText(`Linked to ${job.number}`)).toHaveCount(0);
});
