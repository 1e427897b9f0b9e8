import { readFileSync } from 'node:fs';
import { caller, type Member, newCompany, newUser, ok, stack } from '../../e2e/platform.ts';
import { recordSecret } from '../../setup/secrets.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

let admin: Member;
beforeAll(async () => {
  admin = await newCompany('client');
});
afterEach(closePages);
afterAll(closeBrowser);

const stackDir = () => process.env['STACK_DIR'] as string;

test('a user is invited; faults stand at their fields, and nothing is lost by them', async () => {
  const inviting = await newUser(admin.companyId, ['admin']);
  const page = await newPage(inviting, { expectedErrors: /status of 4(01|22)/ });
  await open(page, '/users');
  await page.getByRole('button', { name: 'Invite user' }).click();
  const form = page.getByRole('dialog', { name: 'Invite user' });
  await form.getByRole('textbox', { name: 'First name' }).fill('Léa');
  await form.getByRole('textbox', { name: 'Last name' }).fill('Moreau');
  await form.getByRole('textbox', { name: 'Email' }).fill('lea@nowhere');
  await form.getByRole('button', { name: 'Invite user' }).click();
  await expect(form.getByRole('textbox', { name: 'Email' })).toHaveAccessibleDescription(/valid email/);
  await expect(form.getByRole('textbox', { name: 'Email' })).toBeFocused();
  // A press beside the form is a slip.
  await page.mouse.click(5, 5);
  await expect(form.getByRole('textbox', { name: 'Last name' })).toHaveValue('Moreau');
  await form.getByRole('textbox', { name: 'Email' }).fill(`${inviting.userId}@people.example`);

  // The session ends meanwhile: the password is asked for, and what was entered stays.
  await page.context().clearCookies();
  await form.getByRole('button', { name: 'Invite user' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByRole('textbox', { name: 'Password' }).fill(inviting.password);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await expect(again).toBeHidden();
  await form.getByRole('button', { name: 'Invite user' }).click();
  const link = page.getByRole('dialog', { name: 'Password link' });
  const url = (await link.locator('code').textContent()) ?? '';
  recordSecret(stackDir(), url.split('#')[1] ?? '');
  await link.getByRole('checkbox').check();
  await link.getByRole('button', { name: 'Done' }).click();

  // Whoever has the link sets a password, once; the address does not keep the token.
  const invited = await newPage(null, { expectedErrors: /status of 4/ });
  await invited.goto(url);
  await invited.getByLabel('New password').fill('a password of Léa Moreau');
  expect(invited.url()).not.toContain('#');
  await invited.getByRole('button', { name: 'Set a password' }).click();
  await expect(invited.getByRole('status')).toHaveText('Your password is set: sign in with it.');
  await invited.goto(url);
  await invited.getByLabel('New password').fill('another one of Léa Moreau');
  await invited.getByRole('button', { name: 'Set a password' }).click();
  await expect(invited.getByRole('heading', { name: 'This link is not valid any more' })).toBeVisible();
});

test('the last administrator stays one, and is told why; nothing is said to have changed', async () => {
  const last = await newCompany('client');
  const page = await newPage(last, { expectedErrors: /status of 409/ });
  await open(page, '/users');
  await page.getByRole('button', { name: /^Edit / }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('checkbox', { name: /^Administrator/ }).uncheck();
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(sheet.getByRole('alert')).toHaveText(/^A company needs an active administrator/);
});

test('a refusal is told in the user’s language, and in that of the API only where the console has no words for it', async () => {
  const page = await newPage(admin, { locale: 'fr-FR', expectedErrors: /status of 4(09|22)/ });
  await open(page, '/users');
  await page.getByRole('button', { name: 'Inviter un utilisateur' }).click();
  const form = page.getByRole('dialog', { name: 'Inviter un utilisateur' });
  await form.getByRole('textbox', { name: 'Prénom' }).fill('Léa');
  await form.getByRole('textbox', { name: 'Nom', exact: true }).fill('Moreau');
  const email = form.getByRole('textbox', { name: 'E-mail' });
  await email.fill('lea@nowhere');
  await form.getByRole('button', { name: 'Inviter un utilisateur' }).click();
  await expect(email).toHaveAccessibleDescription('Doit être une adresse e-mail valable');
  await email.fill(admin.email);
  await form.getByRole('button', { name: 'Inviter un utilisateur' }).click();
  await expect(form.getByRole('alert')).toHaveText('Un autre utilisateur a cette adresse e-mail.');
  await expect(form.getByRole('alert').locator('[lang]')).toHaveCount(0);

  const json = { error: 'no words for this yet', code: 'of_a_later_release' };
  await page.route(/\/company\/users$/, (route) => route.fulfill({ status: 409, json }));
  await form.getByRole('button', { name: 'Inviter un utilisateur' }).click();
  await expect(form.getByRole('alert').locator('[lang=en]')).toHaveText('No words for this yet.');
});

test('an account: name, password, and the sessions of other browsers', async () => {
  const user = await newUser(admin.companyId, []);
  const page = await newPage(user, { expectedErrors: /status of 4/ });
  await open(page, '/account');
  await page.getByRole('textbox', { name: 'First name' }).fill('Zoé');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('status')).toContainText('Profile saved');
  await expect(page.getByText('Zoé Martin')).toBeVisible();

  const elsewhere = await newPage(null, { expectedErrors: /status of 401/ });
  await open(elsewhere, '/account');
  await elsewhere.getByRole('textbox', { name: 'Email' }).fill(user.email);
  await elsewhere.getByRole('textbox', { name: 'Password' }).fill(user.password);
  await elsewhere.getByRole('button', { name: 'Sign in' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'Your account' })).toBeVisible();
  await page.reload();
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await expect(sessions.getByRole('row')).toHaveCount(3);
  await sessions.getByRole('button', { name: /^End the session of/ }).click();
  await expect(sessions.getByRole('row')).toHaveCount(2);

  const password = `${user.password} and more`;
  recordSecret(stackDir(), password);
  await page.getByLabel('Current password').fill('not this one');
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByLabel('Current password')).toHaveAccessibleDescription(/./);
  await page.getByLabel('Current password').fill(user.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('status')).toContainText('Password changed');
  const login = await caller(stack().tsApi)('POST /auth/login', { email: user.email, password });
  expect(login.status).toBe(200);
});

test('the operator gives the platform token, makes a company and its first user; a reload forgets the token', async () => {
  const page = await newPage(null, { expectedErrors: /status of 4(01|22)/ });
  await open(page, '/platform/companies');
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
  recordSecret(stackDir(), password);
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
  const page = await newPage(null, { expectedErrors: /status of 401/ });
  await open(page, `/platform/users?company=${admin.companyId}`);
  await page.getByLabel('Platform token').fill(stack().adminToken);
  await page.getByRole('button', { name: 'Continue' }).click();
  const row = page.getByRole('row').filter({ hasText: user.email });
  await row.getByRole('button', { name: /^Deactivate / }).click();
  const question = page.getByRole('alertdialog', { name: /^Deactivate .*\?$/ });
  await expect(question).toContainText('Their API tokens end for good');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  await expect(row).toContainText('Active');
  await row.getByRole('button', { name: /^Deactivate / }).click();
  await question.getByRole('button', { name: 'Deactivate' }).click();
  await expect(row).toContainText('Deactivated');
  await expect(page.getByRole('status').filter({ hasText: / deactivated$/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0);
  await row.getByRole('button', { name: /^Activate / }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
});

test('the operator chooses among all companies, however many there are', async () => {
  const platform = caller(stack().tsApi, stack().adminToken);
  const nameOf = (n: number) => `Chain ${admin.companyId.slice(-6)} No ${n}`;
  const names = Array.from({ length: 51 }, (_, n) => nameOf(n));
  for (const name of names) await ok(platform('POST /admin/companies', { name, kind: 'client' }));
  const page = await newPage(null);
  await open(page, '/platform/users');
  await page.getByLabel('Platform token').fill(stack().adminToken);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Create user' }).click();
  for (const name of [nameOf(0), nameOf(50)]) {
    await page.getByRole('combobox', { name: 'Company' }).fill(name);
    await expect(page.getByRole('option', { name, exact: true })).toBeVisible();
  }
});

test('the operator exports a company, sees that the archive is ready, and downloads it', async () => {
  const name = `Exported ${admin.companyId.slice(-6)}`;
  const platform = caller(stack().tsApi, stack().adminToken);
  const { data: company } = await ok(platform('POST /admin/companies', { name, kind: 'client' }));
  const page = await newPage(null);
  await open(page, '/platform/companies');
  await page.getByLabel('Platform token').fill(stack().adminToken);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('searchbox', { name: 'Search companies' }).fill(name);
  await expect(page.getByRole('table', { name: 'Companies' }).getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: `Export ${name}`, exact: true }).click();
  const row = page.getByRole('table', { name: 'Exports' }).getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('Ready');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: `Download the export of ${name}` }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(new RegExp(`^export-${company.id}-\\d{4}-\\d\\d-\\d\\d\\.zip$`));
  const archive = readFileSync(await download.path());
  expect(archive.subarray(0, 2).toString()).toBe('PK');
});
