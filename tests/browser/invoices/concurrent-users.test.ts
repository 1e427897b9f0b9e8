import type { Page } from '@playwright/test';
import { linesOf, ok } from '../../e2e/invoicing.ts';
import { type Member, newUser } from '../../e2e/platform.ts';
import { expect, newPage, open } from '../browser.ts';
import {
  arrived,
  type Bench,
  button,
  type Job,
  newBench,
  newJob,
  row,
  rows,
  selected,
  ticketReference,
  useBenches,
} from './bench-pages.ts';

/** Two people work on the same invoices: what one does the other sees, and nothing happens twice. */
useBenches();

/** How often a visible bench reads its data again. */
const readAgainS = 30;

/** The bench with a clock that the test puts forward: nobody waits for half a minute. */
async function watch(member: Member): Promise<Page> {
  const page = await newPage(member, { expectedErrors: /status of 4(?:09|12)/, isFresh: true });
  await page.clock.install();
  await open(page, '/invoices');
  return page;
}

async function twoPeople(bench: Bench): Promise<[Page, Page]> {
  return Promise.all([watch(bench.accountant), watch(await newUser(bench.client.companyId, ['accounting']))]);
}

test('what one has placed leaves the list of the other within half a minute, who sees where it is and goes on', async () => {
  const bench = await newBench();
  const [job, later] = [await newJob(bench, 'First'), await newJob(bench, 'Second')];
  await arrived(bench, { number: 'D-8001', ...ticketReference(job) });
  await arrived(bench, { number: 'D-8002', ...ticketReference(later) });
  const [one, other] = await twoPeople(bench);
  for (const page of [one, other]) await selected(page, 'D-8001');
  await one.getByRole('radio', { name: new RegExp(`^${job.number}`) }).check();
  await one.keyboard.press('Enter');
  await expect(one.getByRole('status').filter({ hasText: `Linked to ${job.number}` })).toBeVisible();
  await other.clock.fastForward(readAgainS * 1000);
  await expect(row(other, 'D-8001')).toHaveCount(0);
  await expect(button(other, 'Unlink')).toBeVisible();
  await expect(button(other, /^Link to/)).toHaveCount(0);
  await other.keyboard.press('Enter');
  await other.keyboard.press('j');
  await selected(other, 'D-8002');
  await expect(other.getByRole('tab', { name: 'To match' })).toContainText('1');
  expect(await linesOf(bench.client, job.path)).toHaveLength(1);
});

test('two who link the same invoice at once see both that it is placed, and it is on the ticket once', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Wanted by both');
  await arrived(bench, { number: 'D-8101', ...ticketReference(job) });
  const pages = await twoPeople(bench);
  for (const page of pages) {
    await page.getByRole('radio', { name: new RegExp(`^${job.number}`) }).check();
    await expect(button(page, `Link to ${job.number}`)).toBeEnabled();
  }
  await Promise.all(pages.map((page) => page.keyboard.press('Enter')));
  for (const page of pages) {
    await expect(page.getByRole('status').or(page.getByRole('alert')).filter({ hasText: job.number })).toBeVisible();
    await expect(rows(page)).toHaveCount(0);
  }
  expect(await linesOf(bench.client, job.path)).toHaveLength(1);
});

test.each(['before the console looks once more', 'after it has looked'])(
  'an invoice that somebody has linked meanwhile, %s, is shown as it is, and nothing happens twice',
  async (when) => {
    const bench = await newBench();
    const [mine, theirs] = [await newJob(bench, 'Mine'), await newJob(bench, 'Theirs')];
    const id = await arrived(bench, { number: 'C-8001', ...ticketReference(mine) });
    const linkTheirs = () =>
      ok(bench.client.ts(`POST /invoices/${id}/link`, { ticketId: theirs.id, viewId: theirs.viewId }));
    const page = await newPage(bench.accountant, { expectedErrors: /status of 412/ });
    await open(page, '/invoices');
    await page.getByRole('radio', { name: new RegExp(`^${mine.number}`) }).check();
    await expect(button(page, `Link to ${mine.number}`)).toBeEnabled();
    if (when === 'after it has looked') {
      await page.route(/\/link$/, (route) => linkTheirs().then(() => route.continue()), { times: 1 });
    } else await linkTheirs();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText(
      `It has been linked to ${theirs.number} meanwhile. Nothing was done.`,
    );
    await expect(button(page, 'Unlink')).toBeVisible();
    expect(await linesOf(bench.client, mine.path)).toEqual([]);
    expect(await linesOf(bench.client, theirs.path)).toHaveLength(1);
  },
);

test.each(['link', 'unlink'] as const)(
  'an undo of a %s leaves alone what somebody else has made of the invoice since',
  async (kind) => {
    const bench = await newBench();
    const [mine, theirs] = [await newJob(bench, 'Mine'), await newJob(bench, 'Theirs')];
    const id = await arrived(bench, { number: 'U-8301', ...ticketReference(mine) });
    const linkTo = (job: Job) =>
      ok(bench.client.ts(`POST /invoices/${id}/link`, { ticketId: job.id, viewId: job.viewId }));
    if (kind === 'unlink') await linkTo(mine);
    const page = await newPage(bench.accountant, { expectedErrors: /status of 412/ });
    await open(page, `/invoices/${id}`);
    if (kind === 'link') {
      await page.getByRole('radio', { name: new RegExp(`^${mine.number}`) }).check();
      await button(page, `Link to ${mine.number}`).click();
    } else await button(page, 'Unlink').click();
    const text = kind === 'link' ? `Linked to ${mine.number}` : `Unlinked from ${mine.number}`;
    const toast = page.getByRole('status').filter({ hasText: text });
    await expect(toast).toBeVisible();
    await linkTo(theirs);
    // The key, since the message with the button stays for ten seconds alone.
    await page.keyboard.press('z');
    await expect(toast).toContainText('It has changed meanwhile');
    await expect(page.getByRole('region', { name: 'Match' })).toContainText(theirs.number);
    expect(await linesOf(bench.client, mine.path)).toEqual([]);
    expect(await linesOf(bench.client, theirs.path)).toHaveLength(1);
  },
);
