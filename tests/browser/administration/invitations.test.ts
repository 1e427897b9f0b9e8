import type { Locator, Page } from '@playwright/test';
import { caller, type Member, newCompany, stack } from '../../e2e/platform.ts';
import { recordSecret } from '../../setup/secrets.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

let admin: Member;
beforeAll(async () => {
  admin = await newCompany('client');
});
afterEach(closePages);
afterAll(closeBrowser);

/** The password link that is shown this once, where the platform sends no mail. */
async function takeLink(page: Page): Promise<string> {
  const shown = page.getByRole('dialog', { name: 'Password link' });
  const url = (await shown.locator('code').textContent()) ?? '';
  recordSecret(process.env['STACK_DIR'] as string, url.split('#')[1] ?? '');
  await shown.getByRole('checkbox', { name: 'I have stored it' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown).toBeHidden();
  return url;
}

async function setPassword(page: Page, url: string, password: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Set a password' }).click();
}

const userRow = (page: Page): Locator =>
  page.getByRole('table', { name: 'Users' }).getByRole('row').filter({ hasText: 'Noé Girard' });

test('who is invited again uses the new link: the first one has ended, and then nobody is to be invited again', async () => {
  const page = await newPage(admin);
  const email = `girard@${admin.companyId}.example`;
  await open(page, '/users');
  await page.getByRole('button', { name: 'Invite user' }).click();
  const form = page.getByRole('dialog', { name: 'Invite user' });
  await form.getByRole('textbox', { name: 'First name' }).fill('Noé');
  await form.getByRole('textbox', { name: 'Last name' }).fill('Girard');
  await form.getByRole('textbox', { name: 'Email' }).fill(email);
  await form.getByRole('button', { name: 'Invite user' }).click();
  const first = await takeLink(page);
  await expect(userRow(page)).toContainText('Invited');

  await page.getByRole('button', { name: 'Edit Noé Girard' }).click();
  const sheet = page.getByRole('dialog', { name: 'Noé Girard' });
  await sheet.getByRole('button', { name: 'Invite again' }).click();
  const second = await takeLink(page);
  await sheet.getByRole('button', { name: 'Cancel' }).click();
  await expect(userRow(page)).toContainText('Invited');

  const invited = await newPage(null, { expectedErrors: /status of 4/ });
  await setPassword(invited, first, 'a password of Noé Girard');
  await expect(invited.getByRole('heading', { name: 'This link is not valid any more' })).toBeVisible();
  await setPassword(invited, second, 'another one of Noé Girard');
  await expect(invited.getByRole('status')).toHaveText('Your password is set: sign in with it.');
  const logIn = (password: string) => caller(stack().tsApi)('POST /auth/login', { email, password });
  expect((await logIn('a password of Noé Girard')).status).toBe(401);
  expect((await logIn('another one of Noé Girard')).status).toBe(200);

  await page.reload();
  await expect(userRow(page)).toContainText('Active');
  await page.getByRole('button', { name: 'Edit Noé Girard' }).click();
  await expect(sheet.getByRole('button', { name: 'Save' })).toBeVisible();
  await expect(sheet.getByRole('button', { name: 'Invite again' })).toHaveCount(0);
});
