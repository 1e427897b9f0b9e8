import { caller, type Member, newCompany, newUser, ok, stack } from '../../e2e/platform.ts';
import { recordSecret } from '../../setup/secrets.ts';
import { closeBrowser, closePages, csvOf, expect, newPage, open, saved } from '../browser.ts';
import { giveToken } from '../every-page/pages.ts';

/** What the operator of the platform does. */
const platform = () => caller(stack().tsApi, stack().adminToken);
let admin: Member;
beforeAll(async () => {
  admin = await newCompany('client');
});
afterEach(closePages);
afterAll(closeBrowser);

test('the operator gives the platform token, makes a company and its first user; a reload forgets the token', async () => {
  const page = await newPage(null, { expectedErrors: /status of 4(01|22)/ });
  await open(page, '/login');
  await page.getByRole('link', { name: 'For the operator of the platform' }).click();
  await expect(page).toHaveURL(/\/platform\/companies$/);
  const token = page.getByLabel('Platform token');
  await token.fill('not the token');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('alert')).toHaveText('This token is not valid');
  await token.fill(stack().adminToken);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('main')).toBeFocused();
  const name = `Halles ${admin.companyId.slice(-6)}`;
  await page.getByRole('button', { name: 'Create company' }).click();
  const company = page.getByRole('dialog', { name: 'Create company' });
  await company.getByRole('textbox', { name: 'Name' }).fill(name);
  const siret = company.getByRole('textbox', { name: 'SIRET' });
  await siret.fill('902 000 017');
  await expect(siret).toHaveAccessibleDescription('9 of 14 digits');
  await siret.fill('902 000 017 00018');
  await expect(siret).toHaveAccessibleDescription('The check digit does not fit');
  await siret.fill('');
  await company.getByRole('button', { name: 'Create company' }).click();
  await expect(page.getByRole('status')).toContainText(`Company “${name}” created`);

  await page.getByRole('searchbox', { name: 'Search companies' }).fill(name.toUpperCase());
  const rows = page.getByRole('table', { name: 'Companies' }).getByRole('row');
  await expect(rows).toHaveCount(2);
  expect(new URL(page.url()).searchParams.get('q')).toBe(name.toUpperCase());
  await page.getByRole('button', { name: `Edit ${name}` }).click();
  const edited = page.getByRole('dialog', { name });
  await expect(edited.getByRole('radio')).toHaveCount(0);
  await edited.getByRole('textbox', { name: 'SIRET' }).fill('732 829 320 00074');
  await edited.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('status')).toContainText(`Company “${name}” saved`);
  await expect(rows.nth(1)).toContainText('73282932000074');
  await page.getByRole('searchbox', { name: 'Search companies' }).fill('nobody is called so');
  await expect(page.getByText('Nothing found')).toBeVisible();

  await page.getByRole('link', { name: 'Users of the platform' }).click();
  await page.getByRole('button', { name: 'Create user' }).click();
  const user = page.getByRole('dialog', { name: 'Create user' });
  await user.getByRole('combobox', { name: 'Company' }).fill(name);
  await page.getByRole('option', { name }).click();
  const email = `first@${admin.companyId}.example`;
  const password = `first password of ${admin.companyId}`;
  recordSecret(process.env['STACK_DIR'] as string, password);
  for (const [field, value] of [
    ['First name', 'Ada'],
    ['Last name', 'Petit'],
    ['Email', email],
    ['Password', password],
  ] as const)
    await user.getByLabel(field, { exact: true }).fill(value);
  await user.getByRole('button', { name: 'Create user' }).click();
  await expect(page.getByRole('status')).toContainText('Ada Petit created');
  expect((await caller(stack().tsApi)('POST /auth/login', { email, password })).status).toBe(200);
  await page.getByRole('searchbox', { name: 'Search users' }).fill(`petit first@${admin.companyId}`);
  await expect(page.getByRole('table', { name: 'Users of the platform' }).getByRole('row')).toHaveCount(2);

  await page.getByRole('radio', { name: 'Français' }).check();
  await expect(page.getByRole('link', { name: 'Utilisateurs de la plateforme' })).toBeVisible();
  await page.getByRole('radio', { name: 'English' }).check();

  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(stored).not.toContain(stack().adminToken);
  await page.reload();
  await expect(token).toBeVisible();
});

test('the operator is asked before a user is deactivated, since API tokens do not come back', async () => {
  const user = await newUser(admin.companyId, ['tickets']);
  const page = await newPage(null, { expectedErrors: /status of (?:401|500)/ });
  await open(page, `/platform/users?company=${admin.companyId}`);
  await giveToken(page);
  const row = page.getByRole('row').filter({ hasText: user.email });
  await row.getByRole('button', { name: /^Deactivate / }).click();
  const question = page.getByRole('alertdialog', { name: /^Deactivate .*\?$/ });
  await expect(question).toContainText('Their API tokens end for good');
  await page.route(`**/admin/users/${user.userId}`, (route) => route.fulfill({ status: 500, json: {} }));
  await question.getByRole('button', { name: 'Deactivate' }).click();
  await expect(question.getByRole('alert')).toBeVisible();
  await page.unrouteAll();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  await expect(row).toContainText('Active');
  await row.getByRole('button', { name: /^Deactivate / }).click();
  await expect(question).toContainText('Their API tokens end for good');
  await expect(question.getByRole('alert')).toHaveCount(0);
  await question.getByRole('button', { name: 'Deactivate' }).click();
  await expect(row).toContainText('Deactivated');
  await expect(page.getByRole('status').filter({ hasText: / deactivated$/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0);
  await row.getByRole('button', { name: /^Activate / }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
});

test('the operator chooses among all companies, however many there are, and takes them to a file', async () => {
  const chain = `Chain ${admin.companyId.slice(-6)}`;
  const nameOf = (n: number) => `${chain} No ${n}`;
  for (let n = 0; n < 51; n += 1) await ok(platform()('POST /admin/companies', { name: nameOf(n), kind: 'client' }));
  const page = await newPage(null);
  await open(page, '/platform/companies');
  await giveToken(page);
  await page.getByRole('searchbox').fill(chain);
  await expect(page).toHaveURL(/\?q=Chain/);
  // One page of them.
  await expect(page.getByRole('row', { name: chain })).toHaveCount(50);
  // The pages of a file have 200 companies each; here it takes three of them.
  await page.route(/\/admin\/companies\?.*limit=200/, (route) =>
    route.continue({ url: route.request().url().replace('limit=200', 'limit=20') }),
  );
  const [titles, ...companies] = await csvOf(page);
  await page.unrouteAll();
  expect(titles).toEqual(['Name', 'Kind', 'SIRET']);
  const all = Array.from({ length: 51 }, (_, n) => [nameOf(n), 'Client', '']);
  expect(companies.sort()).toEqual(all.sort());
  await page.getByRole('link', { name: 'Users of the platform' }).click();
  await page.getByRole('button', { name: 'Create user' }).click();
  for (const name of [nameOf(0), nameOf(50)]) {
    await page.getByRole('combobox', { name: 'Company' }).fill(name);
    await expect(page.getByRole('option', { name, exact: true })).toBeVisible();
  }
});

test('the operator exports a company, sees that the archive is ready, and downloads it; exports and users are files', async () => {
  const name = `Exported ${admin.companyId.slice(-6)}`;
  const { data: company } = await ok(platform()('POST /admin/companies', { name, kind: 'client' }));
  const page = await newPage(null);
  await open(page, '/platform/companies');
  await giveToken(page);
  await page.getByRole('searchbox', { name: 'Search companies' }).fill(name);
  await expect(page.getByRole('table', { name: 'Companies' }).getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: `Export ${name}`, exact: true }).click();
  const row = page.getByRole('table', { name: 'Exports' }).getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('Ready');
  const archive = await saved(row.getByRole('button', { name: `Download the export of ${name}` }));
  expect(archive.name).toMatch(new RegExp(`^export-${company.id}-\\d{4}-\\d\\d-\\d\\d\\.zip$`));
  expect(archive.bytes.subarray(0, 2).toString()).toBe('PK');
  await page.getByRole('link', { name: 'Exports' }).click();
  await expect(page.getByRole('row', { name })).toBeVisible();
  const moment = expect.stringMatching(/^20\d\d-\d\d-\d\d \d\d:\d\d$/);
  expect(await csvOf(page)).toContainEqual([name, 'Ready', moment, moment]);
  await page.getByRole('link', { name: 'Users of the platform' }).click();
  await page.getByRole('searchbox', { name: 'Search users' }).fill(admin.email);
  await expect(page.getByRole('row')).toHaveCount(2);
  // Its name comes later than its id.
  await expect(page.getByRole('row').last()).toContainText('Company ');
  expect(await csvOf(page)).toEqual([
    ['Name', 'Email', 'Company', 'Permissions', 'Status'],
    [expect.any(String), admin.email, expect.stringMatching(/^Company /), 'Administrator', 'Active'],
  ]);
});
