import { rowsOfCsv, rowsOfXlsx } from '@app/testing';
import type { Page } from '@playwright/test';
import { type Member, newCompany, newTicket, newUser, ok } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { closeBrowser, closePages, csvOf, expect, newPage, open, saved } from '../browser.ts';

/** The lists of people, contractors, what was done and what was sent: each is filtered, and goes to a file as it is filtered. */
let admin: Member;
let clerk: Member;
let endpoint: string;
beforeAll(async () => {
  admin = await newCompany('client');
  clerk = await newUser(admin.companyId, ['accounting']);
  for (const [name, type] of [
    ['Zinc & fils', 'external'],
    ['Ascenseurs', 'external'],
    ['Atelier', 'internal'],
  ])
    await ok(admin.api('POST /contractors', { name, type }));
  const body = { name: 'ERP', url: 'https://127.0.0.1:9/', events: ['ticket.status_changed'] };
  endpoint = `/webhooks/${(await ok(admin.ts('POST /webhooks/endpoints', body))).data.id}`;
  await ok(admin.ts(`POST /webhooks/endpoints/${endpoint.split('/')[2]}/test`));
  const ticket = await newTicket(admin);
  await ok(admin.api(`PUT ${ticket}/cancel`));
});
afterEach(closePages);
afterAll(closeBrowser);

const small = { viewport: { width: 320, height: 640 } };
const rows = (page: Page, table: string) => page.getByRole('table', { name: table }).getByRole('row');

async function choose(page: Page, filter: string, option: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`${filter}$`) }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** The rows below the titles of the list's file. */
const downloaded = async (page: Page) => (await csvOf(page)).slice(1);

test('the directory is searched and filtered by keys alone, and goes to a file so', async () => {
  const page = await newPage(admin, small);
  await open(page, '/directory');
  await expect(rows(page, 'Directory')).toHaveText([/Name/, /Zinc/, /Ascenseurs/, /Atelier/]);
  await page.getByRole('button', { name: /Type$/ }).press('Enter');
  await page.getByRole('option', { name: 'External' }).press('Enter');
  await expect(rows(page, 'Directory')).toHaveText([/Name/, /Zinc/, /Ascenseurs/]);
  expect((await downloaded(page)).map(([name]) => name)).toEqual(['Zinc & fils', 'Ascenseurs']);
  await page.keyboard.press('/');
  await page.keyboard.type('zinc');
  await expect(rows(page, 'Directory')).toHaveText([/Name/, /Zinc/]);
  await page.reload();
  await expect(rows(page, 'Directory')).toHaveText([/Name/, /Zinc/]);
  await page.getByRole('searchbox').fill('nobody');
  await expect(rows(page, 'Directory')).toHaveCount(0);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('a list that is too long for a download is made in the background', async () => {
  const page = await newPage(admin, { ...small, expectedErrors: /status of 422/ });
  const refusal = { error: 'a file has at most 100000 rows', code: 'sheet_too_large' };
  await page.route('**/contractors/export?*', (route) => route.fulfill({ status: 422, json: refusal }));
  await open(page, '/directory?type=external');
  await page.getByRole('button', { name: 'Download as CSV' }).click();
  await expect(page.getByRole('alert')).toContainText('A download has at most 100,000 rows');
  await page.getByRole('button', { name: 'Make the file in the background' }).press('Enter');
  await page.getByRole('link', { name: 'your files' }).press('Enter');
  const files = page.getByRole('region', { name: 'Files of long lists' });
  await expect(files.getByRole('row')).toHaveText([/^Name/, /^contractors-[\d-]{10}\.csvReady/]);
  const link = files.getByRole('link', { name: /^Download the export of contractors-/ });
  const [, ...made] = rowsOfCsv((await saved(link)).bytes, ',');
  expect(made.map(([name]) => name)).toEqual(['Zinc & fils', 'Ascenseurs']);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('the directory is sorted by its columns, forth and back, also after a reload and in its file', async () => {
  const page = await newPage(admin);
  await open(page, '/directory');
  const sortBy = (column: string) =>
    page.getByRole('columnheader', { name: column }).getByRole('button').press('Enter');
  await sortBy('Name');
  await expect(rows(page, 'Directory')).toHaveText([/Name ↑/, /Ascenseurs/, /Atelier/, /Zinc/]);
  await sortBy('Name');
  await expect(rows(page, 'Directory')).toHaveText([/Name ↓/, /Zinc/, /Atelier/, /Ascenseurs/]);
  await page.reload();
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending');
  expect((await downloaded(page)).map(([name]) => name)).toEqual(['Zinc & fils', 'Atelier', 'Ascenseurs']);
  await sortBy('Type');
  await expect(rows(page, 'Directory')).toHaveText([/Type ↑/, /Zinc|Ascenseurs/, /Zinc|Ascenseurs/, /Atelier/]);
});

test('users are found by name and state, and go to a file so', async () => {
  const page = await newPage(admin, small);
  await open(page, '/users');
  await expect(rows(page, 'Users')).toHaveCount(3);
  await page.getByRole('searchbox').fill(clerk.email.slice(0, 12));
  await expect(rows(page, 'Users')).toHaveCount(2);
  expect((await downloaded(page)).map((row) => row[2])).toEqual([clerk.email]);
  await choose(page, 'Status', 'Deactivated');
  await expect(page).toHaveURL(/q=.*&status=inactive/);
  await expect(rows(page, 'Users')).toHaveCount(0);
  await open(page, '/users');
  await choose(page, 'Permissions', 'Accounting');
  await expect(page).toHaveURL(/\?permission=accounting$/);
  await expect(rows(page, 'Users')).toHaveCount(2);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('the audit log is filtered by person and action, and goes to a file so', async () => {
  const page = await newPage(admin, small);
  await open(page, '/audit');
  await page.getByRole('combobox', { name: 'Who' }).fill('Ada');
  await page.getByRole('option', { name: clerk.email }).click();
  await expect(rows(page, 'Audit log').filter({ hasText: 'Webhook endpoint' })).toHaveCount(0);
  await choose(page, 'Action', 'User created');
  await expect(rows(page, 'Audit log')).toHaveCount(2);
  await expect(page).toHaveURL(new RegExp(`user=${clerk.userId}&action=user.created`));
  expect((await downloaded(page)).map((row) => row[1])).toEqual(['User created']);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('deliveries go to a file as they are filtered', async () => {
  const page = await newPage(admin, small);
  await open(page, `${endpoint}?event=webhook.test`);
  await expect(rows(page, 'Deliveries')).toHaveCount(2);
  expect((await downloaded(page)).map((row) => row[1])).toEqual(['webhook.test']);
});

test('tokens and endpoints go to a file with what the page shows of them', async () => {
  const { data: token } = await ok(admin.ts('POST /api-tokens', { name: '=ERP', scopes: ['tickets:read'] }));
  const page = await newPage(admin, small);
  await open(page, '/tokens');
  await expect(rows(page, 'API tokens')).toHaveCount(2);
  const { bytes } = await saved(page.getByRole('button', { name: 'Download for Excel' }));
  const [titles, ...tokens] = await rowsOfXlsx(bytes);
  expect(titles).toEqual(['Name', 'Begins with', 'Allowed to', 'Created (UTC)', 'Last used', 'Expires']);
  expect(tokens).toEqual([['=ERP', token.prefix, 'Read tickets', expect.any(Date), null, null]]);
  // As days and their parts, which is not exact.
  expect(Math.abs(Number(tokens[0]?.[3]) - Date.parse(token.created_at))).toBeLessThan(1_000);
  expect(await downloaded(page)).toEqual([
    ["'=ERP", token.prefix, 'Read tickets', expect.stringMatching(/^20\d\d-/), '', ''],
  ]);
  await open(page, '/webhooks');
  await expect(rows(page, 'Endpoints')).toHaveCount(2);
  const [[health = '', ...others] = []] = (await downloaded(page)).map((row) => row.toReversed());
  expect(others).toEqual(['ticket.status_changed', '127.0.0.1:9', 'ERP']);
  expect(health).not.toBe('');
  await expect(rows(page, 'Endpoints').last()).toContainText(health);
});
