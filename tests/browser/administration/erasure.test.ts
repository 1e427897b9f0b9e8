import type { Page } from '@playwright/test';
import { caller, type Member, newCompany, newUser, ok, stack } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

/** Erasing a person: confirmed with their e-mail address, shown until it is done, and final. */
let admin: Member;
let person: Member;
beforeEach(async () => {
  admin = await newCompany('client');
  person = await newUser(admin.companyId, ['tickets']);
});
afterEach(closePages);
afterAll(closeBrowser);

const users = (page: Page) => page.getByRole('table').getByRole('row');
const dialog = (page: Page) => page.getByRole('alertdialog', { name: /^Erase .*\?$/ });

/** Types the address, one that is not theirs first. */
async function confirm(page: Page, another: string): Promise<void> {
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
  await confirm(page, admin.email);
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
  person = admin;
  const page = await newPage(null);
  await open(page, `/platform/users?company=${admin.companyId}`);
  await page.getByLabel('Platform token').fill(stack().adminToken);
  await page.getByRole('button', { name: 'Continue' }).click();
  const row = users(page).filter({ hasText: person.email });
  await expect(row.getByRole('button', { name: /^Deactivate/ })).toBeVisible();
  await row.getByRole('button', { name: /^Erase/ }).click();
  await confirm(page, 'somebody@else.example');
  const erased = users(page).filter({ hasText: 'Erased person' });
  await expect(erased).toContainText('Being erased');
  await expect(erased.getByRole('button')).toHaveCount(0);
  await expect(users(page).getByRole('button', { name: /^Deactivate/ })).toHaveCount(1);
  const read = await caller(stack().tsApi, stack().adminToken)(`GET /admin/users?company_id=${admin.companyId}`);
  expect(read.data.items).toContainEqual(expect.objectContaining({ id: person.userId, first_name: 'Erased' }));
});
