import { randomUUID } from 'node:crypto';
import { newAccount, provider } from '../../e2e/invoicing.ts';
import { newCompany, ok } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

afterEach(closePages);
afterAll(closeBrowser);

test('an invoice that was given up is tried again, until it is fetched', async () => {
  const admin = await newCompany('client');
  const account = await newAccount(admin);
  await ok(account.connect());
  const number = `F-${randomUUID()}`;
  await ok(provider()('POST /admin/faults', { kind: 'status', status: 422, on: `GET /invoices/${number}` }));
  const amounts = { ht: '100.00', tva: '20.00', ttc: '120.00' };
  await account.put({ id: number, number, issue_date: '2026-11-02', currency: 'EUR', amounts });

  const page = await newPage(admin);
  await open(page, '/connections');
  await expect(page.getByRole('row', { name: /Invoices cannot be fetched/ })).toBeVisible();
  await page.getByRole('button', { name: 'Edit Sandbox' }).click();
  const sheet = page.getByRole('dialog', { name: 'Sandbox' });
  const failures = sheet.getByRole('table', { name: 'Invoices given up' });
  await expect(failures.getByRole('row').filter({ hasText: number })).toContainText(
    'The provider’s answer (422): “this failure was asked for”',
  );

  await ok(provider()('DELETE /admin/faults'));
  // Long enough that the page sees it being tried again, and has to look once more.
  await ok(provider()('POST /admin/faults', { kind: 'delay', ms: 2_000, on: `GET /invoices/${number}` }));
  await failures.getByRole('button', { name: `Try ${number} again` }).click();
  await expect(sheet).toContainText('None: every invoice was fetched.');
});
