import type { Page } from '@playwright/test';
import { linesOf, ok } from '../../e2e/invoicing.ts';
import { newUser } from '../../e2e/platform.ts';
import { consoleUrl, expect, open } from '../browser.ts';
import {
  arrived,
  type Bench,
  benchPage,
  button,
  type Job,
  newBench,
  newJob,
  row,
  rows,
  selected,
  shown,
  ticketReference,
  useBenches,
} from './bench-pages.ts';

/** What an accountant has decided counts, once, wherever the focus is and whatever was shown meanwhile. */
useBenches();

const suggestion = (name: string) => ['radio', { name: new RegExp(`^${name}`) }] as const;

test('Enter links the chosen ticket after the menu, a tab and keys, wherever they left the focus', async () => {
  const bench = await newBench();
  const jobs = await Promise.all(['First', 'Second', 'Third'].map((title) => newJob(bench, title)));
  for (const [n, job] of jobs.entries()) await arrived(bench, { number: `E-110${n}`, ...ticketReference(job) });
  const page = await benchPage(bench.accountant);
  const menu = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
  const ways = [
    () => menu('Invoices'),
    async () => {
      await page.getByRole('tab', { name: 'In review' }).click();
      await page.getByRole('tab', { name: 'To match' }).click();
    },
    async () => {
      await menu('Connections');
      await page.keyboard.type('gi');
    },
  ];
  for (const [n, way] of ways.entries()) {
    await open(page, '/invoices');
    await shown(page, `E-110${n}`);
    await way();
    await shown(page, `E-110${n}`);
    const first = page.getByRole(...suggestion(jobs[n]?.number ?? ''));
    await expect(first).toBeVisible();
    await page.keyboard.press('1');
    await expect(first).toBeChecked();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: `Linked to ${jobs[n]?.number}` })).toBeVisible();
  }
  // What was reached by keyboard has the key for itself.
  await open(page, '/invoices');
  await page.getByRole('tab', { name: 'To match' }).focus();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'My actions' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'My actions' })).toBeVisible();
});

test('a chosen ticket stays chosen after a link that failed, and while the document is shown', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak');
  await arrived(bench, { number: 'C-1201', ...ticketReference(job) });
  await arrived(bench, { number: 'C-1202' });
  const page = await benchPage(bench.accountant, { expectedErrors: /status of 50\d/ });
  await open(page, '/invoices');
  const chosen = page.getByRole(...suggestion(job.number));
  await chosen.check();
  await page.route('**/invoices/*/link', (route) => route.fulfill({ status: 500, body: '<h1>Oops' }), { times: 1 });
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'C-1201 was not linked.' })).toBeVisible();
  await selected(page, 'C-1201');
  await expect(chosen).toBeChecked();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('tab', { name: 'Document' }).click();
  await expect(chosen).toHaveCount(0);
  await page.getByRole('tab', { name: 'Match', exact: true }).click();
  await expect(chosen).toBeChecked();
});

test('two clicks on Link are one, also if a busy browser hands the second one over late', async () => {
  const bench = await newBench();
  const jobs = [await newJob(bench, 'First'), await newJob(bench, 'Second')] as const;
  for (const [n, job] of jobs.entries()) await arrived(bench, { number: `B-130${n}`, ...ticketReference(job) });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices');
  await shown(page, 'B-1300');
  await page.keyboard.press('j');
  await page.getByRole(...suggestion(jobs[1].number)).check();
  await page.keyboard.press('k');
  await page.getByRole(...suggestion(jobs[0].number)).check();
  const pressed = await page.evaluate(async () => {
    const texts: string[] = [];
    const press = () => {
      const link = [...document.querySelectorAll('button')].find((one) => one.textContent?.startsWith('Link to'));
      texts.push(link?.textContent ?? '');
      link?.click();
    };
    press();
    // React shows the next invoice, and the browser has no time to paint it.
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    const until = performance.now() + 400;
    while (performance.now() < until);
    press();
    return texts;
  });
  expect(pressed).toEqual(jobs.map(({ number }) => expect.stringContaining(number)));
  await expect(page.getByRole('status').filter({ hasText: `Linked to ${jobs[0].number}` })).toBeVisible();
  await selected(page, 'B-1301');
  await expect(button(page, `Link to ${jobs[1].number}`)).toBeEnabled();
  expect(await linesOf(bench.client, jobs[0].path)).toHaveLength(1);
  expect(await linesOf(bench.client, jobs[1].path)).toEqual([]);
});

test('a row is a link, for another tab, and the page of an invoice leads back to its row', async () => {
  const bench = await newBench();
  await arrived(bench, { number: 'R-1401' });
  const id = await arrived(bench, { number: 'R-1402' });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices?list=all');
  await shown(page, 'R-1402');
  await expect(row(page, 'R-1402').getByRole('link')).toHaveAttribute('href', `?list=all&i=${id}`);
  const other = await benchPage(bench.accountant);
  await open(other, `/invoices?list=all&i=${id}`);
  await expect(other.getByRole('region', { name: 'Match' }).getByText('R-1402', { exact: true })).toBeVisible();
  await row(page, 'R-1401').getByRole('link').click();
  await selected(page, 'R-1401');
  await page.getByRole('region', { name: 'Match' }).getByRole('link', { name: 'R-1401' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Invoice R-1401' })).toBeVisible();
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await selected(page, 'R-1401');
  await expect(page.getByRole('tab', { name: 'All', exact: true })).toHaveAttribute('aria-selected', 'true');
  // Opened by itself, it is led back to the list that holds it.
  await open(page, `/invoices/${id}`);
  // Which list it is in is known once the invoice is there.
  await expect(page.getByRole('heading', { level: 1, name: 'Invoice R-1402' })).toBeVisible();
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await expect(page).toHaveURL(`${consoleUrl()}/invoices?list=queue&i=${id}`);
});

test('Escape closes the ticket finder, and keeps what was typed', async () => {
  const bench = await newBench();
  await newJob(bench, 'Leak');
  await arrived(bench, { number: 'X-1501' });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices');
  await shown(page, 'X-1501');
  const find = page.getByRole('combobox', { name: 'Find another ticket' });
  await find.pressSequentially('leak');
  await expect(page.getByRole('option')).toHaveCount(1);
  await find.press('Escape');
  await expect(page.getByRole('listbox')).toHaveCount(0);
  await expect(find).toHaveValue('leak');
  await expect(find).toHaveAttribute('aria-expanded', 'false');
});

// Two people work on the same invoices: what one does the other sees, and nothing happens twice.

/** How often a visible bench reads its data again. */
const readAgainS = 30;

const refused = { expectedErrors: /status of 409/ };
const linkTo = (bench: Bench, id: string, { id: ticketId, viewId }: Job) =>
  ok(bench.client.ts(`POST /invoices/${id}/link`, { ticketId, viewId }));

test('what one has linked leaves the list of the other within half a minute, who sees where it is and goes on', async () => {
  const bench = await newBench();
  const [job, later] = [await newJob(bench, 'First'), await newJob(bench, 'Second')];
  const id = await arrived(bench, { number: 'D-8001', ...ticketReference(job) });
  await arrived(bench, { number: 'D-8002', ...ticketReference(later) });
  const page = await benchPage(bench.accountant, { ...refused, isFresh: true });
  // The test puts it forward: nobody waits for half a minute.
  await page.clock.install();
  await open(page, '/invoices');
  await selected(page, 'D-8001');
  await linkTo(bench, id, job);
  await page.clock.fastForward(readAgainS * 1000);
  await expect(row(page, 'D-8001')).toHaveCount(0);
  await expect(button(page, 'Unlink')).toBeVisible();
  await expect(button(page, /^Link to/)).toHaveCount(0);
  await page.keyboard.press('Enter');
  await page.keyboard.press('j');
  await selected(page, 'D-8002');
  await expect(page.getByRole('tab', { name: 'To match' })).toContainText('1');
  expect(await linesOf(bench.client, job.path)).toHaveLength(1);
});

test('two who link the same invoice at once see both that it is linked, and it is on the ticket once', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Wanted by both');
  await arrived(bench, { number: 'D-8101', ...ticketReference(job) });
  const people = [bench.accountant, await newUser(bench.client.companyId, ['accounting'])];
  const pages = await Promise.all(people.map((one) => benchPage(one, refused)));
  for (const page of pages) {
    await open(page, '/invoices');
    await page.getByRole('radio', { name: new RegExp(`^${job.number}`) }).check();
    await expect(button(page, `Link to ${job.number}`)).toBeEnabled();
  }
  await Promise.all(pages.map((page) => page.keyboard.press('Enter')));
  const said = (page: Page) => page.getByRole('status').or(page.getByRole('alert')).filter({ hasText: job.number });
  await Promise.all(pages.map((page) => expect(said(page)).toBeVisible()));
  for (const page of pages) await expect(rows(page)).toHaveCount(0);
  expect(await linesOf(bench.client, job.path)).toHaveLength(1);
});

test.each(['before the console looks once more', 'after it has looked'])(
  'an invoice that somebody has linked meanwhile, %s, is shown as it is, and nothing happens twice',
  async (when) => {
    const bench = await newBench();
    const [mine, theirs] = [await newJob(bench, 'Mine'), await newJob(bench, 'Theirs')];
    const id = await arrived(bench, { number: 'C-8001', ...ticketReference(mine) });
    const linkTheirs = () => linkTo(bench, id, theirs);
    const page = await benchPage(bench.accountant, refused);
    await open(page, '/invoices');
    await page.getByRole('radio', { name: new RegExp(`^${mine.number}`) }).check();
    await expect(button(page, `Link to ${mine.number}`)).toBeEnabled();
    if (when === 'after it has looked') {
      await page.route(/\/link$/, (route) => linkTheirs().then(() => route.continue()), { times: 1 });
    } else await linkTheirs();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText(
      `It has been linked to ${theirs.number} in the meantime. Nothing was done.`,
    );
    await expect(button(page, 'Unlink')).toBeVisible();
    expect(await linesOf(bench.client, mine.path)).toEqual([]);
    expect(await linesOf(bench.client, theirs.path)).toHaveLength(1);
  },
);

test('an undo leaves alone what somebody else has made of the invoice since', async () => {
  const bench = await newBench();
  const [mine, theirs] = [await newJob(bench, 'Mine'), await newJob(bench, 'Theirs')];
  const id = await arrived(bench, { number: 'U-8301', ...ticketReference(mine) });
  await linkTo(bench, id, mine);
  const page = await benchPage(bench.accountant, refused);
  await open(page, `/invoices/${id}`);
  await button(page, 'Unlink').click();
  const toast = page.getByRole('status').filter({ hasText: `Unlinked from ${mine.number}` });
  await expect(toast).toBeVisible();
  await linkTo(bench, id, theirs);
  // The key, since the message with the button stays for ten seconds alone.
  await page.keyboard.press('z');
  await expect(toast).toContainText('It has changed in the meantime');
  await expect(page.getByRole('region', { name: 'Match' })).toContainText(theirs.number);
  expect(await linesOf(bench.client, mine.path)).toEqual([]);
  expect(await linesOf(bench.client, theirs.path)).toHaveLength(1);
});
