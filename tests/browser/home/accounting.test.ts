import { eventually } from '@app/testing';
import { anInvoice, newBuyer, newJob } from '../../e2e/invoicing.ts';
import { newCompany, newUser, ok } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';
import { pressOn } from '../keyboard.ts';
import { card, expectItFits, titles } from './cards.ts';

/** Home of who has accounting alone. */
afterEach(closePages);
afterAll(closeBrowser);

const dayMs = 86_400_000;

test('accounting alone sees what is owed and to whom, credit notes deducted, and what is done and not invoiced', async () => {
  const { account, contractor } = await newBuyer(await newCompany('client'));
  const { client } = account;
  await ok(account.connect());
  // Within the month and 7 days, and not late either when the day ends meanwhile.
  const now = new Date();
  const lastDay = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0);
  const due_date = new Date(Math.min(now.getTime() + 3 * dayMs, lastDay)).toISOString().slice(0, 10);
  const { path } = await newJob(client, contractor, { reference: 'PO-9', amount: 500 });
  await ok(client.api(`PUT ${path}/finish`));
  const credit = { kind: 'credit_note', amounts: { ht: '30.00', tva: '6.00', ttc: '36.00' } };
  for (const given of [{ number: 'F-OWED' }, { number: 'F-BACK', ...credit }, { number: 'F-LATER', due_date: null }])
    await account.queued(await account.put(anInvoice({ due_date, ...given })));
  await eventually(async () => {
    for (const figure of ['invoices/payable', 'tickets/uninvoiced']) {
      const { data } = await ok(client.ts(`GET /statistics/${figure}`));
      if (data.items.length === 0 || data.pending > 0) throw new Error(`${figure} is not counted yet`);
    }
  });
  const page = await newPage(await newUser(client.companyId, ['accounting']));
  await open(page, '/');
  await expect(titles(page)).toHaveText([
    ...['Invoices to process', 'Falling due', 'To check before paying', 'Done and not invoiced'],
    ...['Due this month, by supplier', 'How invoices were matched'],
  ]);
  await expect(card(page, 'Invoices to process').getByRole('row')).toHaveText([
    'ReasonNumberIncl. VATOldest',
    /^No ticket matches3€204\.00/,
  ]);
  await expect(card(page, 'To check before paying')).toContainText('No invoice needs a check.');
  await expect(card(page, 'Falling due').getByRole('listitem')).toHaveText([
    /^In the next 7 days€84\.00/,
    /^Without a due date€120\.00/,
  ]);
  await expect(card(page, 'Done and not invoiced').getByRole('listitem')).toHaveText([/^Done€500\.00/]);
  const suppliers = card(page, 'Due this month, by supplier');
  await expect(suppliers.getByRole('listitem')).toHaveText(['Fixit€84.00']);
  await expectItFits(page);
  await page.setViewportSize({ width: 1280, height: 720 });
  await pressOn(page, suppliers.getByRole('list').getByRole('link', { name: 'Fixit' }));
  await expect(page).toHaveURL(
    new RegExp(`countedIn=payable&.*&countedOf=supplier%3A${contractor.id}%2Ccurrency%3AEUR`),
  );
  await expect(page.getByRole('row', { name: /F-OWED|F-BACK/ })).toHaveCount(2);
  // As in the totals above them.
  await expect(page.getByRole('row', { name: /F-BACK, [-−]€36\.00$/ })).toContainText('Credit note');
  await page.getByRole('button', { name: /^Filter and sort/ }).click();
  const filters = page.getByRole('dialog');
  await expect(filters.getByRole('button', { name: /Counts for/ })).toContainText('Fixit, EUR');
  await filters.getByRole('combobox', { name: 'Supplier' }).fill('Fix');
  await page.getByRole('option', { name: 'Fixit' }).click();
  await filters.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`supplier=${contractor.id}`));
  await expect(page.getByRole('row', { name: /F-OWED|F-BACK/ })).toHaveCount(2);
  await open(page, '/');
  await pressOn(page, card(page, 'Falling due').getByRole('link', { name: 'Without a due date' }).first());
  await expect(page.getByRole('row', { name: /F-/ })).toHaveText([/F-LATER/]);
  await open(page, '/');
  await pressOn(page, card(page, 'Done and not invoiced').getByRole('link', { name: 'Done' }));
  await expect(page).toHaveURL(/\/accruals\?state=done$/);
  const left = page.getByRole('row', { name: /€500\.00/ });
  await expect(left).toContainText('Fixit');
  await expectItFits(page);
  // What has been invoiced since it was found may have been a whole page.
  await page.route('**/invoice-tickets?*', (route) => route.fulfill({ json: { items: [], nextCursor: 'next' } }));
  await page.reload();
  await expect(page.getByRole('button', { name: 'Show more' })).toBeVisible();
  await page.unrouteAll();
  await page.reload();
  await left.getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`/invoices${path}$`));
  await expect(page.getByRole('region', { name: 'Quotes' })).toBeVisible();
});
