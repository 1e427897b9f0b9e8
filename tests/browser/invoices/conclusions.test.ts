import type { Page } from '@playwright/test';
import { connectPlatform, matchedInvoice, refuseOnce } from '../../e2e/approved-platform.ts';
import { newBuyer } from '../../e2e/invoicing.ts';
import { newCompany, newUser } from '../../e2e/platform.ts';
import { violations } from '../accessibility.ts';
import { csvOf, expect, newPage, open } from '../browser.ts';
import { arrived, benchPage, button, newBench, row, selected, shown, useBenches } from './bench-pages.ts';

useBenches();

const sheet = (page: Page) => page.getByRole('dialog');
const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });
const reasonOf = (page: Page) => sheet(page).getByRole('textbox', { name: /^Reason/ });

/** Tells the supplier a status. `says`: what the sheet says before. */
async function tell(page: Page, status: RegExp, [reason, sentence]: [string, string], says = /./): Promise<void> {
  await button(page, 'Tell the supplier…').click();
  await expect(sheet(page)).toContainText(says);
  await sheet(page).getByRole('radio', { name: status }).check();
  await sheet(page)
    .getByRole('button', { name: /What is wrong with it/ })
    .click();
  await page.getByRole('option', { name: reason }).click();
  await sheet(page).getByRole('textbox', { name: 'A sentence for the supplier' }).fill(sentence);
  await sheet(page).getByRole('button', { name: 'Tell the supplier' }).click();
}

test('an invoice that belongs to no ticket leaves the queue with a reason, and its key brings it back', async () => {
  const bench = await newBench();
  await arrived(bench, { number: 'N-1001' });
  await arrived(bench, { number: 'N-1002' });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices');
  await selected(page, 'N-1001');
  // Keys that act on an invoice are there once it is read.
  await shown(page, 'N-1001');
  await page.keyboard.press('x');
  await expect(page.getByRole('dialog', { name: 'What becomes of N-1001?' })).toBeVisible();
  const confirm = sheet(page).getByRole('button', { name: 'It belongs to no ticket' });
  await expect(confirm).toBeDisabled();
  expect(await violations(page)).toEqual([]);
  await reasonOf(page).fill('A subscription');
  await confirm.click();
  await expect(said(page, 'N-1001 belongs to no ticket')).toBeVisible();
  await expect(row(page, 'N-1001')).toBeHidden();
  await page.keyboard.press('z');
  await expect(row(page, 'N-1001')).toBeVisible();
});

test('a refused invoice says why, and what the provider knows; it is reopened on its page', async () => {
  const bench = await newBench();
  const id = await arrived(bench, { number: 'R-2001' });
  const page = await benchPage(bench.accountant);
  await open(page, `/invoices/${id}`);
  await tell(page, /^Refused/, ['Wrong recipient', 'Not our building']);
  const asks = page.getByRole('alertdialog', { name: 'Refuse R-2001?' });
  await expect(asks).toContainText('a refusal is final');
  await asks.getByRole('button', { name: 'Refuse' }).click();
  await expect(said(page, 'The supplier is being told of R-2001')).toBeVisible();
  const note = page.getByRole('region', { name: 'It is refused' });
  await expect(note).toContainText('Wrong recipient. Not our building');
  await expect(note).toContainText('Your provider was told.');
  await expect(page.getByRole('list', { name: 'Told to the supplier' })).toContainText('Refused, taken');
  await expect(page.getByRole('list', { name: 'History' })).toContainText('Refused: Not our building · by you');
  await expect(button(page, /^Link/)).toHaveCount(0);
  await button(page, 'Reopen').click();
  await expect(said(page, 'R-2001 reopened')).toBeVisible();
  await expect(note).toHaveCount(0);
});

test('a possible duplicate is called one, and names the other; each waits in a list with its file', async () => {
  const bench = await newBench();
  const original = await arrived(bench, { number: 'D-3001' });
  const copy = await arrived(bench, { number: 'd 3001' });
  const page = await benchPage(bench.accountant);
  await open(page, '/invoices?list=review');
  await expect(row(page, 'd 3001')).toBeVisible();
  const numbersOf = async () => (await csvOf(page)).map(([, , number]) => number);
  expect(await numbersOf()).toEqual(['Number', 'd 3001']);
  await page.getByRole('tab', { name: 'To match' }).click();
  await expect(row(page, 'D-3001')).toBeVisible();
  expect(await numbersOf()).toEqual(['Number', 'D-3001']);
  await page.getByRole('tab', { name: 'In review' }).click();
  await button(page, 'No ticket…').click();
  await expect(sheet(page).getByRole('radio', { name: /^It is a duplicate/ })).toBeChecked();
  await expect(sheet(page).getByRole('combobox', { name: 'Duplicate of' })).toHaveValue('D-3001');
  await reasonOf(page).fill('Sent twice');
  await sheet(page).getByRole('button', { name: 'It is a duplicate' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing to review' })).toBeVisible();
  expect((await bench.account.read(copy)).conclusion).toMatchObject({
    outcome: 'duplicate_of',
    invoiceId: original,
  });
});

test('a dispute that the platform refused says why; told again, the contractor reads it on its ticket', async () => {
  const client = await newCompany('client');
  const [{ contractor }, accountant, organization] = await Promise.all([
    newBuyer(client),
    newUser(client.companyId, ['accounting']),
    connectPlatform(client),
  ]);
  const { id, path, number } = await matchedInvoice(client, contractor, organization);
  const sentence = `One valve of ${number} is missing`;
  await refuseOnce(sentence);
  const page = await benchPage(accountant);
  await open(page, `/invoices/${id}`);
  const told = page.getByRole('list', { name: 'Told to the supplier' });
  await expect(told).toContainText('Taken in charge, taken');
  for (const [result, why] of [
    ['Disputed, not taken', 'not on a Sunday'],
    ['Disputed, taken', sentence],
  ] as const) {
    await tell(page, /^Disputed/, ['Not delivered in full', sentence], /This supplier receives at 0225:\d{9}\./);
    await expect(told.getByRole('listitem').first()).toContainText(result);
    await expect(told.getByRole('listitem').first()).toContainText(why);
  }
  const theirs = await newPage(contractor);
  await open(theirs, path);
  const line = theirs.getByRole('list', { name: 'Invoices' }).getByRole('listitem');
  await expect(line).toContainText(number);
  await expect(line).toContainText(`Not delivered in full. ${sentence}`);
});
