import type { Locator, Page } from '@playwright/test';
import { caller, type Member, newCompany, newUser, ok, stack } from '../../e2e/platform.ts';
import { recordSecret } from '../../setup/secrets.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';
import { giveToken } from '../every-page/pages.ts';

/** The people of a company: invited, refused, changed, seen in the audit log, and erased. */
let admin: Member;
beforeAll(async () => {
  admin = await newCompany('client');
});
afterEach(closePages);
afterAll(closeBrowser);

const stackDir = () => process.env['STACK_DIR'] as string;

/** The password link that is shown this once, where the platform sends no mail. */
async function takeLink(page: Page): Promise<string> {
  const shown = page.getByRole('dialog', { name: 'Password link' });
  const url = (await shown.locator('code').textContent()) ?? '';
  recordSecret(stackDir(), url.split('#')[1] ?? '');
  await shown.getByRole('checkbox', { name: 'I have stored it' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown).toBeHidden();
  return url;
}

async function setPassword(page: Page, url: string, password: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('New password').fill(password);
  // The address does not keep the token.
  expect(page.url()).not.toContain('#');
  await page.getByRole('button', { name: 'Set a password' }).click();
}

const userRow = (page: Page): Locator =>
  page.getByRole('table', { name: 'Users' }).getByRole('row').filter({ hasText: 'Noé Girard' });

test('a user is invited; faults stand at their fields, and nothing is lost by them, nor by the end of the session', async () => {
  const inviting = await newUser(admin.companyId, ['admin']);
  const page = await newPage(inviting, { expectedErrors: /status of 4(01|22)/ });
  await open(page, '/users');
  await page.getByRole('button', { name: 'Invite user' }).click();
  const form = page.getByRole('dialog', { name: 'Invite user' });
  const email = form.getByRole('textbox', { name: 'Email' });
  await form.getByRole('textbox', { name: 'First name' }).fill('Noé');
  await form.getByRole('textbox', { name: 'Last name' }).fill('Girard');
  await email.fill('noe@nowhere');
  await form.getByRole('button', { name: 'Invite user' }).click();
  await expect(email).toHaveAccessibleDescription(/valid email/);
  await expect(email).toBeFocused();
  // A press beside the form is a slip.
  await page.mouse.click(5, 5);
  await expect(form.getByRole('textbox', { name: 'Last name' })).toHaveValue('Girard');
  await email.fill(`girard@${inviting.userId}.example`);

  await page.context().clearCookies();
  await form.getByRole('button', { name: 'Invite user' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByRole('textbox', { name: 'Password' }).fill(inviting.password);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await expect(again).toBeHidden();
  await form.getByRole('button', { name: 'Invite user' }).click();
  await takeLink(page);
  await expect(userRow(page)).toContainText('Invited');
});

test('who is invited again uses the new link, once: the first one has ended, and then nobody is to be invited again', async () => {
  const inviting = await newCompany('client');
  const email = `girard@${inviting.companyId}.example`;
  const person = { first_name: 'Noé', last_name: 'Girard', email, permissions: [] };
  const first: string = (await ok(inviting.ts('POST /company/users', person))).data.password_link.url;
  recordSecret(stackDir(), first.split('#')[1] ?? '');
  const page = await newPage(inviting);
  await open(page, '/users');
  await page.getByRole('button', { name: 'Edit Noé Girard' }).click();
  const sheet = page.getByRole('dialog', { name: 'Noé Girard' });
  await sheet.getByRole('button', { name: 'Invite again' }).click();
  const second = await takeLink(page);
  await sheet.getByRole('button', { name: 'Cancel' }).click();
  await expect(userRow(page)).toContainText('Invited');

  const invited = await newPage(null, { expectedErrors: /status of 4/ });
  const notValid = invited.getByRole('heading', { name: 'This link is no longer valid' });
  await setPassword(invited, first, 'a password of Noé Girard');
  await expect(notValid).toBeVisible();
  await setPassword(invited, second, 'another one of Noé Girard');
  await expect(invited.getByRole('status')).toHaveText('Your password is set: sign in with it.');
  await setPassword(invited, second, 'a third one of Noé Girard');
  await expect(notValid).toBeVisible();
  const logIn = (password: string) => caller(stack().tsApi)('POST /auth/login', { email, password });
  expect((await logIn('a password of Noé Girard')).status).toBe(401);
  expect((await logIn('another one of Noé Girard')).status).toBe(200);

  await page.reload();
  await expect(userRow(page)).toContainText('Active');
  await page.getByRole('button', { name: 'Edit Noé Girard' }).click();
  await expect(sheet.getByRole('button', { name: 'Save' })).toBeVisible();
  await expect(sheet.getByRole('button', { name: 'Invite again' })).toHaveCount(0);
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
  await form.getByRole('textbox', { name: 'Nom de famille' }).fill('Moreau');
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
  const user = await newUser(admin.companyId, ['tickets']);
  await ok(user.ts('PUT /auth/agenda-feed', {}));
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
  await page.getByRole('checkbox', { name: /the address of your agenda/ }).check();
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('status')).toContainText('Password changed');
  await expect(page.getByRole('button', { name: 'Make an address' })).toBeVisible();
  const login = await caller(stack().tsApi)('POST /auth/login', { email: user.email, password });
  expect(login.status).toBe(200);
});

test('the audit log tells who did what, by its filters, in both languages', async () => {
  const member = await newCompany('client');
  await ok(member.ts('POST /api-tokens', { name: 'ERP <b>' }));
  await ok(member.ts('PATCH /auth/profile', { phone: '+33 1 23 45 67 89' }));
  const page = await newPage(member);
  await open(page, '/audit');
  const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
  await expect(rows.filter({ hasText: 'API token created' })).toContainText('ERP <b>');
  await expect(rows.filter({ hasText: 'Signed in' })).not.toHaveCount(0);
  await expect(rows.filter({ hasText: 'User changed' })).toContainText('Changed: phone');
  await open(page, '/audit?action=api_token.created');
  await expect(rows.filter({ hasText: 'API token created' })).toHaveCount(1);
  await expect(rows.filter({ hasText: 'Signed in' })).toHaveCount(0);
  await open(page, '/audit?to=2020-01-01');
  await expect(page.getByRole('heading', { name: 'No entries' })).toBeVisible();
  const french = await newPage(member, { locale: 'fr-FR' });
  await open(french, '/audit');
  await expect(french.getByText('Modifié\u00a0: téléphone')).toBeVisible();
});

const users = (page: Page) => page.getByRole('table').getByRole('row');
const dialog = (page: Page) => page.getByRole('alertdialog', { name: /^Erase .*\?$/ });

/** Types the address, one that is not theirs first. */
async function confirm(page: Page, person: Member, another: string): Promise<void> {
  const button = dialog(page).getByRole('button', { name: 'Erase', exact: true });
  const field = dialog(page).getByRole('textbox', { name: 'To confirm, type their email address' });
  await expect(field).toBeFocused();
  await expect(button).toBeDisabled();
  await field.fill(another);
  await expect(button).toBeDisabled();
  await field.fill(person.email.toUpperCase());
  await button.click();
  await expect(page.getByRole('status')).toContainText('The person is being erased');
}

test('an administrator erases a person of the company, sees how far it is, and can do no more with them', async () => {
  const person = await newUser(admin.companyId, ['tickets']);
  const page = await newPage(admin, { isFresh: true });
  await page.clock.install();
  await open(page, '/users');
  const edit = (email: string) => users(page).filter({ hasText: email }).getByRole('button', { name: /^Edit/ });
  await edit(admin.email).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Save' })).toBeVisible();
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Erase/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await edit(person.email).click();
  await page.getByRole('button', { name: /^Erase/ }).click();
  await expect(dialog(page)).toContainText('name, email address and phone number');
  expect(await accessibilityFaults(page)).toEqual([]);
  await confirm(page, person, admin.email);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const row = users(page).filter({ hasText: 'Erased person' });
  await expect(row).toContainText('Being erased');
  await expect(row.getByRole('button')).toHaveCount(0);
  expect(await page.content()).not.toContain(person.email);
  const { items } = (await ok(admin.ts('GET /company/users'))).data;
  expect(items).toContainEqual(expect.objectContaining({ id: person.userId, active: false, first_name: 'Erased' }));

  // An erasure takes ten minutes. When it is done, the page shows it without a reload.
  await page.route(/\/company\/users\?/, async (route) => {
    const answer = await route.fetch();
    const text = (await answer.text()).replace('"state":"running"', '"state":"done"');
    await route.fulfill({ response: answer, body: text });
  });
  await page.clock.fastForward(30_000);
  await expect(row).toContainText('Erased person');
  await expect(row.getByText('Erased', { exact: true })).toBeVisible();
  await expect(row.getByRole('button')).toHaveCount(0);
});

test('the operator erases anybody, the only administrator of a company too', async () => {
  const person = await newCompany('client');
  const page = await newPage(null);
  await open(page, `/platform/users?company=${person.companyId}`);
  await giveToken(page);
  const row = users(page).filter({ hasText: person.email });
  await expect(row.getByRole('button', { name: /^Deactivate/ })).toBeVisible();
  await row.getByRole('button', { name: /^Erase/ }).click();
  await confirm(page, person, 'somebody@else.example');
  const erased = users(page).filter({ hasText: 'Erased person' });
  await expect(erased).toContainText('Being erased');
  await expect(erased.getByRole('button')).toHaveCount(0);
  const read = await caller(stack().tsApi, stack().adminToken)(`GET /admin/users?company_id=${person.companyId}`);
  expect(read.data.items).toContainEqual(expect.objectContaining({ id: person.userId, first_name: 'Erased' }));
});
