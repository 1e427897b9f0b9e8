import { linesOf, ok } from '../../e2e/invoicing.ts';
import { newUser } from '../../e2e/platform.ts';
import { expect, open } from '../browser.ts';
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
  ticketReference,
  useBenches,
} from './bench-pages.ts';

/** Two people work on the same invoices: what one does the other sees, and nothing happens twice. */
useBenches();

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
      `It has been linked to ${theirs.number} meanwhile. Nothing was done.`,
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
  await expect(toast).toContainText('It has changed meanwhile');
  await expect(page.getByRole('region', { name: 'Match' })).toContainText(theirs.number);
  expect(await linesOf(bench.client, mine.path)).toEqual([]);
  expect(await linesOf(bench.client, theirs.path)).toHaveLength(1);
});
