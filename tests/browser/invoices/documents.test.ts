import { pdfOf } from '@app/demo';
import type { Locator, Page } from '@playwright/test';
import { violations } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import { photo } from '../tickets/ticket-pages.ts';
import { arrived, newBench, row, useBenches } from './bench-pages.ts';

/** What suppliers send, as the bench shows it. */
useBenches();

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
  const drawn = await document.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.width);
  expect(drawn).toBeGreaterThan(300);
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
