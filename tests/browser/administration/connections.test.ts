import { randomUUID } from 'node:crypto';
import { eventually } from '@app/testing';
import { newAccount, provider } from '../../e2e/invoicing.ts';
import { newCompany, ok } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

afterEach(closePages);
afterAll(closeBrowser);

test('an invoice that was given up is tried again, until it is fetched', async () => {
  const admin = await newCompany('client');
  const account = await newAccount(admin);
  const { id } = (await ok(account.connect())).data;
  const number = `F-${randomUUID()}`;
  const fetches = `GET /invoices/${number}`;
  await ok(provider()('POST /admin/faults', { kind: 'status', status: 422, on: fetches, times: 1 }));
  // Long enough that the page sees it being tried again, and has to look once more.
  await ok(provider()('POST /admin/faults', { kind: 'delay', ms: 2_000, on: fetches }));
  const amounts = { ht: '100.00', tva: '20.00', ttc: '120.00' };
  // Older than the connection: polls do not list it, so that nothing fetches it again but the button.
  const updated_at = '2026-11-02T08:00:00.000Z';
  await account.put({ id: number, number, issue_date: '2026-11-02', updated_at, currency: 'EUR', amounts });
  await eventually(async () => {
    const { items } = (await ok(admin.ts(`GET /invoice-connections/${id}/failures`))).data;
    expect(items).toMatchObject([{ externalId: number, retrying: false }]);
  });

  const page = await newPage(admin);
  await open(page, '/connections');
  await page.getByRole('button', { name: 'Edit Sandbox' }).click();
  const sheet = page.getByRole('dialog', { name: 'Sandbox' });
  const failures = sheet.getByRole('table', { name: 'Invoices given up' });
  await expect(failures.getByRole('row').filter({ hasText: number })).toContainText(
    'The provider’s answer (422): “this failure was asked for”',
  );

  await failures.getByRole('button', { name: `Try ${number} again` }).click();
  await expect(sheet).toContainText('None: every invoice was fetched.');
});
