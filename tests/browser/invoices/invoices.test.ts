import { eventually } from '@app/testing';
import type { Page } from '@playwright/test';
import { anInvoice, linesOf, ok } from '../../e2e/invoicing.ts';
import { accessibilityFaults, violations } from '../accessibility.ts';
import { consoleUrl, expect, open } from '../browser.ts';
import {
  arrived,
  benchPage,
  button,
  newBench,
  newJob,
  row,
  rows,
  selected,
  shown,
  ticketReference,
  useBenches,
} from './bench-pages.ts';

/** The work of accountants with invoices, in a browser. */
useBenches();

test('the queue is a grid with tabs and counts, walked by keys; address, reload and Back know the place', async () => {
  const bench = await newBench();
  const ids: string[] = [];
  for (const number of ['A-1001', 'A-1002', 'A-1003']) ids.push(await arrived(bench, { number }));
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices');
  await expect(page.getByRole('heading', { level: 1, name: 'Invoices to match' })).toBeVisible();
  for (const name of ['To match', 'In review', 'All'])
    await expect(page.getByRole('tab', { name, exact: true })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'To match' })).toContainText('3');
  for (const number of ['A-1001', 'A-1002', 'A-1003'])
    await expect(page.getByRole('row', { name: `Fixit, ${number}, €120.00` })).toBeVisible();
  await selected(page, 'A-1001');
  await page.keyboard.press('j');
  await selected(page, 'A-1002');
  await expect(page).toHaveURL(new RegExp(`i=${ids[1]}`));
  await shown(page, 'A-1002');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await selected(page, 'A-1003');
  await page.reload();
  await selected(page, 'A-1003');
  await page.goBack();
  await selected(page, 'A-1002');
  await page.keyboard.press('k');
  await selected(page, 'A-1001');
  await shown(page, 'A-1001');
  await page.keyboard.press('s');
  await selected(page, 'A-1002');
  // Without room for the list, it is behind a button.
  await page.setViewportSize({ width: 1024, height: 768 });
  await expect(page.getByText('2 of 3')).toBeVisible();
  await button(page, 'Show the list').click();
  await row(page, 'A-1003').click();
  await expect(page.getByText('3 of 3')).toBeVisible();
});

test('supplier, place and ticket filter all invoices; a view of them is shown first', async () => {
  const bench = await newBench();
  const site = (await ok(bench.client.api('POST /locations', { name: 'Nantes site' }))).data.location._id;
  const job = await newJob(bench, 'Boiler');
  await ok(bench.client.api(`PATCH ${job.path}`, { location_ids: [site] }));
  const id = await arrived(bench, { number: 'B-1' });
  await arrived(bench, { number: 'B-2' });
  await ok(bench.client.ts(`POST /invoices/${id}/link`, { ticketId: job.id, viewId: job.viewId }));
  const page = await benchPage(bench.client);
  await open(page, '/invoices?list=all');
  await expect(rows(page)).toHaveCount(2);
  await button(page, 'Filter and sort').click();
  const dialog = page.getByRole('dialog', { name: 'Filter and sort' });
  await dialog.getByRole('combobox', { name: 'Supplier' }).fill('fix');
  await page.getByRole('option', { name: 'Fixit' }).click();
  await dialog.getByRole('combobox', { name: 'Place' }).fill('nantes');
  await page.getByRole('option', { name: 'Nantes site' }).click();
  await page.getByRole('button', { name: 'Show', exact: true }).press('Enter');
  await expect(rows(page)).toHaveCount(1);
  await expect(row(page, 'B-1')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Totals' })).toContainText('1 invoice');
  await page.getByRole('searchbox').fill(job.number);
  await expect(page).toHaveURL(/q=T-/);
  await expect(row(page, 'B-1')).toBeVisible();
  await button(page, 'Save view').click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Nantes');
  await page.keyboard.press('Enter');
  await button(page, 'Saved view').click();
  await page.getByRole('menuitem', { name: 'Show it first' }).click();
  await button(page, 'Saved view').click();
  await expect(page.getByRole('menuitem', { name: 'Show all first' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await open(page, '/invoices');
  await expect(page).toHaveURL(new RegExp(`place=${site}`));
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('tab', { name: 'To match' }).click();
  await expect(row(page, 'B-2')).toBeVisible();
});

test('a chosen ticket is linked by Enter; the next row is shown before the answer; its key brings the invoice back', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak in the cellar');
  const id = await arrived(bench, { number: 'L-4001', ...ticketReference(job) });
  await arrived(bench, { number: 'L-4002' });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices');
  const suggestions = page.getByRole('radiogroup', { name: 'Suggested tickets' });
  const first = suggestions.getByRole('radio', { name: new RegExp(`^${job.number}`) });
  await expect(first).not.toBeChecked();
  await expect(page.getByRole('list', { name: 'Why' })).toContainText(`Ticket number ${job.number} agrees`);
  // Nothing is chosen, so Enter links nothing.
  await expect(button(page, 'Link to a ticket')).toBeDisabled();
  // As a French keyboard sends the key of the 1, without Shift.
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Input.dispatchKeyEvent', { type: 'keyDown', key: '&', code: 'Digit1' });
  await expect(first).toBeChecked();
  await expect(button(page, `Link to ${job.number}`)).toBeEnabled();
  await expect(button(page, `Link to ${job.number}`)).toHaveAttribute('aria-keyshortcuts', 'Enter');
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let links = 0;
  await page.route('**/invoices/*/link', async (route) => {
    links += 1;
    await held;
    await route.continue();
  });
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await selected(page, 'L-4002');
  await expect(row(page, 'L-4001')).toBeHidden();
  // Before the answer: one that is refused, since matching has changed the invoice meanwhile, is sent again.
  await expect.poll(() => links).toBe(1);
  answer();
  await expect(page.getByRole('status').filter({ hasText: `Linked to ${job.number}` })).toBeVisible();
  expect(await linesOf(bench.client, job.path)).toEqual([expect.objectContaining({ invoice_id: id })]);
  await page.keyboard.press('z');
  await selected(page, 'L-4001');
  expect(await linesOf(bench.client, job.path)).toEqual([]);
  // It is still suggested: the undo did not refuse the ticket.
  await expect(first).toBeVisible();
});

test('the ticket behind a suggestion is opened to read, by who has accounting alone', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak in the attic');
  // Less than the invoice, which therefore waits.
  await ok(bench.client.api(`POST ${job.path}/purchases`, { kind: 'purchase_order', reference: 'BC-77', amount: 80 }));
  await ok(bench.client.api(`POST ${job.path}/notes`, { note: 'They are too dear', type: 'managers' }));
  await arrived(bench, { number: 'R-7001', ...ticketReference(job) });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices');
  await page.getByRole('link', { name: `Open ${job.number}` }).click();
  await expect(page).toHaveURL(new RegExp(`/invoices/tickets/${job.id}$`));
  await expect(page.getByRole('list', { name: 'Purchases' })).toContainText('BC-77');
  await expect(page.getByText('Fixit').first()).toBeVisible();
  await expect(page.getByRole('main').getByRole('button')).toHaveText(['Print']);
  await expect(page.getByText('too dear')).toHaveCount(0);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('what was done is taken back by its key, and later in My actions, each link for itself', async () => {
  const bench = await newBench();
  const jobs = [await newJob(bench, 'First'), await newJob(bench, 'Second')] as const;
  for (const [n, job] of jobs.entries()) await arrived(bench, { number: `Z-450${n + 1}`, ...ticketReference(job) });
  const page = await benchPage(bench.accountant, { isFresh: true });
  await page.clock.install();
  await open(page, '/invoices');
  for (const job of jobs) {
    await page.getByRole('radio', { name: new RegExp(`^${job.number}`) }).check();
    // Two presses within 300 ms are one.
    await page.clock.fastForward(300);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: `Linked to ${job.number}` })).toBeVisible();
  }
  await expect(page.getByRole('heading', { name: 'Every invoice has its ticket' })).toBeVisible();
  // The last one.
  await page.keyboard.press('z');
  await selected(page, 'Z-4502');
  expect(await linesOf(bench.client, jobs[1].path)).toEqual([]);
  expect(await linesOf(bench.client, jobs[0].path)).toHaveLength(1);
  await button(page, 'My actions').click();
  const actions = page.getByRole('dialog', { name: 'My actions' }).getByRole('listitem');
  await expect(actions).toHaveText([
    new RegExp(`^Undone: Linked to ${jobs[1].number}`),
    new RegExp(`^Linked to ${jobs[1].number}Fixit, Z-4502`),
    new RegExp(`^Linked to ${jobs[0].number}Fixit, Z-4501`),
  ]);
  await expect(actions.getByRole('button', { name: 'Undo' })).toHaveCount(1);
  await actions.nth(2).getByRole('button', { name: 'Undo' }).click();
  await expect(actions.first()).toContainText(`Undone: Linked to ${jobs[0].number}`);
  await expect(actions.getByRole('button', { name: 'Undo' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(rows(page)).toHaveCount(2);
  expect(await linesOf(bench.client, jobs[0].path)).toEqual([]);
});

test('a link that something speaks against asks why, and keeps the sentence', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak');
  await ok(bench.client.api(`POST ${job.path}/purchases`, { kind: 'purchase_order', reference: 'PO-77', amount: 100 }));
  const amounts = { ht: '131.00', tva: '26.20', ttc: '157.20' };
  const vat = [{ rate: '0.20', base: '131.00', amount: '26.20' }];
  const id = await arrived(bench, { number: 'D-7701', amounts, vat_breakdown: vat, ...ticketReference(job) });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices');
  await expect(row(page, 'D-7701')).toContainText('Amount above tolerance');
  await page.getByRole('radio', { name: new RegExp(`^${job.number}`) }).check();
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: `Link D-7701 to ${job.number} anyway?` });
  await expect(question).toContainText('The amount €131.00 is more than 10% above €100.00 HT');
  const confirm = question.getByRole('button', { name: `Link to ${job.number}` });
  await expect(confirm).toBeDisabled();
  await question.getByRole('textbox', { name: 'Why link it anyway?' }).fill('Second pump, agreed by telephone');
  expect(await linesOf(bench.client, job.path)).toEqual([]);
  await confirm.click();
  await expect(page.getByRole('heading', { name: 'Every invoice has its ticket' })).toBeVisible();
  // It is shown so before the link is made.
  await expect.poll(() => linesOf(bench.client, job.path)).toHaveLength(1);
  await open(page, `/invoices/${id}`);
  const history = page.getByRole('list', { name: 'History' });
  await expect(history).toContainText(`Linked to ${job.number}: “Second pump, agreed by telephone”`);
});

test('any ticket is found by number and by title, with accounting alone, and linked', async () => {
  const bench = await newBench();
  const [job] = await Promise.all([
    newJob(bench, 'Leak of the revolving door'),
    ...Array.from({ length: 20 }, (_, n) => newJob(bench, `Leak ${n}`)),
  ]);
  const id = await arrived(bench, { number: 'F-5001' });
  await eventually(async () => {
    const found = ['leak', 'leak%20revolving'].map((q) => ok(bench.client.ts(`GET /invoices/${id}/candidates?q=${q}`)));
    expect((await Promise.all(found)).map(({ data }) => data.items.length)).toEqual([20, 1]);
  });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices');
  await shown(page, 'F-5001');
  await page.keyboard.press('/');
  const find = page.getByRole('combobox', { name: 'Find another ticket' });
  await expect(find).toBeFocused();
  const more = page.getByText('More tickets match: type more letters.');
  await find.pressSequentially('leak');
  await expect(more).toBeVisible();
  await expect(page.getByRole('option')).toHaveCount(20);
  await find.pressSequentially(' revolv');
  await expect(page.getByRole('option')).toHaveText([new RegExp(job.number)]);
  await expect(more).toHaveCount(0);
  await find.fill(job.number);
  await page.getByRole('option', { name: new RegExp(job.number) }).click();
  await expect(page.getByRole('radio', { name: new RegExp(`^${job.number}`) })).toBeChecked();
  await button(page, `Link to ${job.number}`).click();
  await expect(page.getByRole('heading', { name: 'Every invoice has its ticket' })).toBeVisible();
  await eventually(async () => expect(await linesOf(bench.client, job.path)).toHaveLength(1));
});

function searchesOf(page: Page): string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const q = searchParams.get('q');
    if (pathname.endsWith('/invoices/search') && q !== null) seen.push(q);
  });
  return seen;
}

test('invoices are searched once the typing pauses, Back brings the text before, and “Go to” finds their numbers', async () => {
  const bench = await newBench();
  for (const number of ['SA-1001', 'SA-1002', 'SB-1003']) await arrived(bench, { number });
  const page = await benchPage(bench.accountant, { isFresh: true });
  await page.clock.install();
  await open(page, '/invoices?list=all');
  await expect(row(page, 'SB-1003')).toBeVisible();
  const searches = searchesOf(page);
  const search = page.getByRole('searchbox', { name: 'Search invoices' });
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await search.pressSequentially('SA-100');
  expect(searches).toEqual([]);
  await page.clock.resume();
  await selected(page, 'SA-1002');
  await expect(row(page, 'SB-1003')).toHaveCount(0);
  expect(searches).toEqual(['SA-100']);
  await row(page, 'SA-1001').click();
  await search.fill('SB-1003');
  await selected(page, 'SB-1003');
  await page.goBack();
  await expect(search).toHaveValue('SA-100');
  await expect(row(page, 'SA-1002')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: 'Go to' }).fill('SB-1003');
  await page.getByRole('menuitem', { name: /^SB-1003, Fixit Invoice · €/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Invoice SB-1003' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: 'Go to' }).fill('fix');
  await expect(page.getByRole('menuitem', { name: /Invoice ·/ })).toHaveCount(3);
  await page.getByRole('menuitem', { name: /^Fixit Invoices of this supplier/ }).click();
  await expect(search).toHaveValue(/^\d{9}$/);
  await expect(row(page, 'SA-1001')).toBeVisible();
});

const iban = (value: string) => ({
  supplier: { name: 'Fixit', siren: '732829320', siret: '73282932000074', iban: value },
});

test('with another IBAN nothing can be linked or cleared until it was checked', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak');
  const first = await arrived(bench, { number: 'I-6001', ...iban('FR7630006000011234567890189') });
  await ok(bench.client.ts(`POST /invoices/${first}/link`, { ticketId: job.id, viewId: job.viewId }));
  await arrived(bench, { number: 'I-6002', ...iban('DE89370400440532013000'), ...ticketReference(job) });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices?list=review');
  const alert = page.getByRole('region', { name: 'Another IBAN' });
  await expect(alert).toContainText('DE89370400440532013000');
  await expect(alert).toContainText('FR7630006000011234567890189');
  await page.getByRole('radio', { name: new RegExp(`^${job.number}`) }).check();
  for (const name of [/^Link to T/, 'Clear review']) await expect(button(page, name)).toBeDisabled();
  await page.keyboard.press('Enter');
  await page.keyboard.press('c');
  const checked = alert.getByRole('checkbox', { name: 'I checked this IBAN with the supplier by another channel' });
  await checked.check();
  for (const name of [/^Link to T/, 'Clear review']) await expect(button(page, name)).toBeEnabled();
  await expect(alert).toContainText('Linking confirms this IBAN for Fixit.');
  expect(await accessibilityFaults(page)).toEqual([]);
  // The widths of the check above have rendered the panel anew, with the box unchecked.
  await checked.check();
  await button(page, 'Clear review').click();
  const question = page.getByRole('alertdialog', { name: 'Clear the review of I-6002?' });
  await expect(question).toContainText('An IBAN that is not among the known ones, or none that can be read');
  expect(await bench.account.inReview()).toHaveLength(1);
  await question.getByRole('button', { name: 'Clear review' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Review of I-6002 cleared' })).toBeVisible();
  expect(await bench.account.inReview()).toEqual([]);
});

test('a possible duplicate is beside the other one; cleared, tickets are looked for without a reload', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak');
  await arrived(bench, { number: 'D-7001' });
  await arrived(bench, { number: 'd 7001', ...ticketReference(job) });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices?list=review');
  const region = page.getByRole('region', { name: 'Possible duplicate' });
  await expect(region.getByRole('row', { name: /^Number/ })).toHaveText('Numberd 7001D-7001');
  await page.keyboard.press('c');
  const question = page.getByRole('alertdialog', { name: 'Clear the review of d 7001?' });
  await expect(question.getByRole('list')).toContainText('Possible duplicate');
  expect(await violations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await bench.account.inReview()).toHaveLength(1);
  await region.getByRole('button', { name: 'Not a duplicate' }).click();
  await question.getByRole('button', { name: 'Clear review' }).click();
  await expect(page.getByRole('radio', { name: new RegExp(`^${job.number}`) })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Nothing to review' })).toBeVisible();
  await page.getByRole('tab', { name: 'To match' }).click();
  await expect(rows(page)).toHaveCount(2);
});

test('a linked invoice has a page of its own, with its history; what changed is told, and it is unlinked', async () => {
  const bench = await newBench();
  const job = await newJob(bench, 'Leak');
  const number = 'H-9001';
  const id = await arrived(bench, { id: 'h-9001', number });
  await ok(bench.client.ts(`POST /invoices/${id}/link`, { ticketId: job.id, viewId: job.viewId }));
  await eventually(async () => expect((await bench.account.read(id)).state).toBe('done'));
  const page = await benchPage(bench.accountant);
  await open(page, `/invoices/${id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Invoice H-9001' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Match' }).getByText('Done').first()).toBeVisible();
  await expect(page.getByRole('list', { name: 'History' })).toContainText(`Linked to ${job.number} · by a colleague`);
  // Nobody has compared them, so the page asks what speaks for the ticket.
  await expect(page.getByRole('list', { name: 'Why' })).toContainText('is the contractor of the ticket');
  await expect(button(page, 'Unlink')).toBeVisible();
  // The provider has another amount.
  const amounts = { ht: '150.00', tva: '30.00', ttc: '180.00' };
  const vat_breakdown = [{ rate: '0.20', base: '150.00', amount: '30.00' }];
  await bench.account.put(anInvoice({ id: 'h-9001', number, amounts, vat_breakdown }));
  await eventually(async () => expect((await bench.account.read(id)).state).toBe('manual_review'));
  await page.reload();
  const changed = page.getByRole('region', { name: 'Changed after the link' });
  await expect(changed.getByRole('row', { name: /^Total/ })).toHaveText('Total (TTC)€120.00€180.00');
  await expect(button(page, `Link again to ${job.number}`)).toBeEnabled();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('u');
  await expect(page.getByRole('status').filter({ hasText: `Unlinked from ${job.number}` })).toBeVisible();
  await eventually(async () => expect(await linesOf(bench.client, job.path)).toEqual([]));
  await expect(page).toHaveURL(`${consoleUrl()}/invoices/${id}`);
});
