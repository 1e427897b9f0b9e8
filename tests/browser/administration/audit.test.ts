import { type Member, newCompany, ok } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

let admin: Member;
beforeAll(async () => {
  admin = await newCompany('client');
});
afterEach(closePages);
afterAll(closeBrowser);

test('the audit log tells who did what, by its filters, in both languages', async () => {
  await ok(admin.ts('POST /api-tokens', { name: 'ERP <b>' }));
  await ok(admin.ts('PATCH /auth/profile', { phone: '+33 1 23 45 67 89' }));
  const page = await newPage(admin);
  await open(page, '/audit');
  const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
  await expect(rows.filter({ hasText: 'API token created' })).toContainText('ERP <b>');
  await expect(rows.filter({ hasText: 'Signed in' })).not.toHaveCount(0);
  await expect(rows.filter({ hasText: 'User changed' })).toContainText('Changed: phone');
  await open(page, '/audit?action=api_token.created');
  await expect(rows.filter({ hasText: 'API token created' })).toHaveCount(1);
  await expect(rows.filter({ hasText: 'Signed in' })).toHaveCount(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await open(page, '/audit?to=2020-01-01');
  await expect(page.getByRole('heading', { name: 'No entries' })).toBeVisible();
  const french = await newPage(admin, { locale: 'fr-FR' });
  await open(french, '/audit');
  await expect(french.getByText('Modifié\u00a0: téléphone')).toBeVisible();
});

test('a sign-in through the company begins at its provider, and says why it came back without a session', async () => {
  const page = await newPage(null, { expectedErrors: /status of 401/ });
  await open(page, '/tickets');
  await page.getByRole('button', { name: 'Use your company’s account' }).click();
  await page.getByRole('textbox', { name: 'Email at your company' }).fill('nobody@no-provider.example');
  const begun = page.waitForRequest(
    /\/auth\/sso\/start\?email=nobody%40no-provider\.example&return_to=%2Fconsole%2Ftickets$/,
  );
  await page.getByRole('button', { name: 'Continue' }).click();
  await begun;
  await expect(page.getByRole('alert')).toHaveText(/Your company has no single sign-on/);
});
