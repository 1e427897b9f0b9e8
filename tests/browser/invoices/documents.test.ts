import { expect, newPage, open } from '../browser.ts';
import { photo } from '../tickets/ticket-pages.ts';
import { arrived, newBench, useBenches } from './bench-pages.ts';

/** What suppliers send beside PDFs. */
useBenches();

const lines = [{ label: 'Boiler repair', quantity: '1', unit_price: '100.00', ht: '100.00', vat_rate: '0.20' }];

test('of an invoice that came as XML the fields are shown, and why', async () => {
  const bench = await newBench();
  const bytes = Buffer.from('<?xml version="1.0"?><Invoice><ID>XML-1001</ID></Invoice>');
  await arrived(bench, { number: 'XML-1001', lines }, { name: 'a.xml', type: 'application/xml', bytes });
  const page = await newPage(bench.accountant);
  await open(page, '/invoices');
  const document = page.getByRole('region', { name: 'Document' });
  await expect(document.getByText('This invoice is a data file. Here are its fields.')).toBeVisible();
  await expect(document.getByRole('table', { name: 'Lines' }).getByRole('row').nth(1)).toContainText('Boiler repair');
  await expect(document.getByRole('button', { name: 'Download' })).toBeVisible();
  // There is no picture to go back to.
  await expect(document.getByRole('button', { name: 'Fields read' })).toHaveCount(0);
});

test('an invoice that came as a picture is shown as one, larger at will', async () => {
  const bench = await newBench();
  await arrived(bench, { number: 'PNG-1001', lines }, { name: 'a.png', type: 'image/png', bytes: photo.buffer });
  const page = await newPage(bench.accountant);
  await open(page, '/invoices');
  const document = page.getByRole('region', { name: 'Document' });
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
