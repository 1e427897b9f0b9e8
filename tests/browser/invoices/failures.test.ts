import { pdfOf } from '@app/demo';
import { eventually } from '@app/testing';
import type { Locator, Page } from '@playwright/test';
import { anInvoice, ok, provider } from '../../e2e/invoicing.ts';
import { violations } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import { photo } from '../tickets/ticket-pages.ts';
import { arrived, benchPage, button, newBench, newJob, row, rows, ticketReference, useBenches } from './bench-pages.ts';

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

describe('what suppliers send, as the bench shows it', () => {
  const pdf = pdfOf([['Invoice PDF-1001', 'Order BC 7788 99', 'Total 120,00 EUR'], ['The terms']]);
  const xml = Buffer.from('<?xml version="1.0"?><Invoice><ID>XML-1001</ID></Invoice>');
  /** Wider than the room beside list and panel. */
  const label = `Boiler ${'repair'.repeat(15)}`;
  const lines = [{ label, quantity: '1', unit_price: '100.00', ht: '100.00', vat_rate: '0.20' }];
  const references = { purchase_order: 'BC-7788-99' };

  let page: Page;
  let document: Locator;
  beforeAll(async () => {
    const bench = await newBench();
    await Promise.all([
      arrived(bench, { number: 'PDF-1001', references }, { name: 'a.pdf', type: 'application/pdf', bytes: pdf }),
      arrived(bench, { number: 'PNG-1001', lines }, { name: 'a.png', type: 'image/png', bytes: photo.buffer }),
      arrived(bench, { number: 'XML-1001', lines }, { name: 'a.xml', type: 'application/xml', bytes: xml }),
      arrived(bench, { number: 'FIELDS-1001', lines }),
    ]);
    page = await newPage(bench.accountant, { isKept: true });
    await open(page, '/invoices');
    document = page.getByRole('region', { name: 'Document' });
  });

  test('a PDF is shown page by page, with what matching read marked on it', async () => {
    await row(page, 'PDF-1001').click();
    await expect(document.getByText('Page 1 of 2')).toBeVisible();
    await expect(document.getByRole('region', { name: 'Page 1 of 2' })).toBeVisible();
    await expect(document.getByText('Total 120,00 EUR')).toBeVisible();
    await expect(document.locator('mark')).toHaveText(['PDF-1001', 'BC 7788 99', '120,00']);
    const drawn = () => document.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.width);
    await expect.poll(drawn).toBeGreaterThan(300);
    await document.getByRole('button', { name: 'Next page' }).click();
    await expect(document.getByText('Page 2 of 2')).toBeVisible();
    await expect(document.getByText('The terms')).toBeVisible();
    await document.getByRole('button', { name: 'Zoom in' }).click();
    await expect(document.getByText('125%')).toBeVisible();
    await document.getByRole('button', { name: 'Fields read' }).click();
    await expect(document.getByRole('table', { name: 'Lines' })).toBeVisible();
  });

  test('a picture is shown as one, larger at will', async () => {
    await row(page, 'PNG-1001').click();
    const picture = document.getByRole('img', { name: 'Image of invoice PNG-1001' });
    await expect(picture).toBeVisible();
    await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(1);
    const width = () => picture.evaluate(({ clientWidth }) => clientWidth);
    const before = await width();
    await document.getByRole('button', { name: 'Zoom in' }).click();
    await expect(document.getByText('125%')).toBeVisible();
    expect(await width()).toBeGreaterThan(before);
    await document.getByRole('button', { name: 'Fields read' }).click();
    await expect(document.getByRole('table', { name: 'Lines' })).toBeVisible();
    await expect(picture).toHaveCount(0);
  });

  test.each([
    ['XML-1001', 'This invoice is a data file. Here are its fields.', 1],
    ['FIELDS-1001', 'The provider sent no document. These are the fields that it sent.', 0],
  ])('of an invoice without a picture, %s, the fields are shown, and why', async (number, why, downloads) => {
    await row(page, number).click();
    await expect(document.getByText(why)).toBeVisible();
    const line = document.getByRole('table', { name: 'Lines' }).getByRole('row').nth(1);
    await expect(line).toHaveText(`${label}1€100.0020%€100.00`);
    // What scrolls is scrolled by keyboard.
    await page.setViewportSize({ width: 1024, height: 768 });
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 720 });
    await expect(document.getByRole('button', { name: 'Download' })).toHaveCount(downloads);
    // There is no picture to go back to.
    await expect(document.getByRole('button', { name: 'Fields read' })).toHaveCount(0);
  });
});
