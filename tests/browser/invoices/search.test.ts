import { eventually } from '@app/testing';
import type { Page } from '@playwright/test';
import { ok } from '../../e2e/platform.ts';
import { expect, newPage, open } from '../browser.ts';
import { arrived, newBench, newJob, row, selected, useBenches } from './bench-pages.ts';

/** What is searched at the bench: invoices in the list of all, and tickets for one of them. */
useBenches();

function searchesOf(page: Page): string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const q = searchParams.get('q');
    if (pathname.endsWith('/invoices/search') && q !== null) seen.push(q);
  });
  return seen;
}

test('invoices are searched once the typing pauses, and Back brings the text before', async () => {
  const bench = await newBench();
  for (const number of ['SA-1001', 'SA-1002', 'SB-1003']) await arrived(bench, { number });
  const page = await newPage(bench.accountant);
  await open(page, '/invoices?list=all');
  await expect(row(page, 'SB-1003')).toBeVisible();
  const searches = searchesOf(page);
  const search = page.getByRole('searchbox', { name: 'Search invoices' });
  await search.pressSequentially('SA-100');
  await selected(page, 'SA-1002');
  await expect(row(page, 'SB-1003')).toHaveCount(0);
  // A busy machine may type slowly, but it does not pause after each letter.
  expect(searches.length).toBeLessThan('SA-100'.length);
  expect(searches.at(-1)).toBe('SA-100');
  await row(page, 'SA-1001').click();
  await search.fill('SB-1003');
  await selected(page, 'SB-1003');
  await page.goBack();
  await expect(search).toHaveValue('SA-100');
  await expect(row(page, 'SA-1002')).toBeVisible();
});

test('a search for tickets says that it found more than it shows', async () => {
  const bench = await newBench();
  const id = await arrived(bench, { number: 'S-2001' });
  for (let n = 1; n <= 20; n += 1) await newJob(bench, `Leak ${n}`);
  await newJob(bench, 'Leak, the last');
  await eventually(async () => {
    const { items } = (await ok(bench.accountant.ts(`GET /invoices/${id}/candidates?q=leak%20last`))).data;
    expect(items).toHaveLength(1);
  });
  const page = await newPage(bench.accountant);
  await open(page, '/invoices');
  const more = page.getByText('More tickets match: type more letters.');
  const find = page.getByRole('combobox', { name: 'Find another ticket' });
  await find.fill('leak');
  await expect(more).toBeVisible();
  await expect(page.getByRole('option')).toHaveCount(20);
  await find.fill('leak last');
  await expect(page.getByRole('option', { name: /Leak, the last/ })).toBeVisible();
  await expect(more).toHaveCount(0);
});
