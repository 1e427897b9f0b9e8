import { eventually, type Receiver } from '@app/testing';
import type { Page } from '@playwright/test';
import { caller, type Member, newCompany, newReceiver, ok, stack } from '../../e2e/platform.ts';
import { recordSecret } from '../../setup/secrets.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';
import { pressOn, tabTo, typeInto } from '../keyboard.ts';

/** The jobs of administrators and integrators without a mouse, and where the focus is after each dialog. */
let receiver: Receiver;
let admin: Member;
beforeAll(async () => {
  receiver = await newReceiver();
  admin = await newCompany('client');
});
afterEach(closePages);
afterAll(async () => {
  await closeBrowser();
  await receiver.close();
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const status = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text });

/** In the dialog that shows a secret this once: confirms that it is stored, without which nothing closes it. @returns the secret */
async function storeSecret(page: Page, name: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name });
  const secret = (await dialog.locator('code').textContent()) ?? '';
  recordSecret(process.env['STACK_DIR'] as string, secret.split('#').at(-1) ?? '');
  const done = dialog.getByRole('button', { name: 'Done' });
  await expect(done).toBeDisabled();
  await page.keyboard.press('Escape');
  await pressOn(page, dialog.getByRole('checkbox', { name: 'I have stored it' }), 'Space');
  await pressOn(page, done);
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText(secret)).toHaveCount(0);
  return secret;
}

test('an endpoint is added, a fault said at its field; it is tested, paused, enabled and deleted', async () => {
  const page = await newPage(admin, { expectedErrors: /status of 422/ });
  await open(page, '/webhooks');
  await pressOn(page, page.getByRole('link', { name: 'Add endpoint' }));
  await typeInto(page, page.getByRole('textbox', { name: 'Name' }), 'ERP');
  const url = page.getByRole('textbox', { name: 'URL' });
  await typeInto(page, url, 'http://erp.example/hooks');
  await pressOn(page, page.getByRole('checkbox', { name: /quote is added/ }), 'Space');
  const sample = page.locator('pre').filter({ hasText: '"event": "ticket.quote_added"' });
  await expect(sample).toBeHidden();
  await pressOn(page, page.locator('summary').filter({ hasText: 'An example of each event' }));
  await expect(sample).toBeVisible();
  await pressOn(page, button(page, 'Create'));
  await expect(url).toHaveAccessibleDescription(/https/);
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('ERP');
  await expect(url).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(receiver.url('/by-keyboard'));
  await pressOn(page, button(page, 'Create'));
  const verifiers = page.getByRole('dialog').getByRole('link', { name: 'How to verify a signature' });
  await expect(verifiers).toHaveAttribute('href', '/guide/webhooks#verify-the-signature');
  await storeSecret(page, 'Signing secret');
  await expect(page.getByRole('heading', { level: 1, name: /ERP/ })).toBeVisible();
  await pressOn(page, button(page, 'Send test event'));
  await expect(status(page, 'The test was answered 200')).toBeVisible();

  await pressOn(page, page.getByRole('tab', { name: 'Deliveries' }), 'ArrowRight');
  await expect(page.getByRole('tab', { name: 'Settings' })).toBeFocused();
  await pressOn(page, button(page, 'Pause'));
  await expect(status(page, 'Paused ERP')).toBeVisible();
  await pressOn(page, button(page, 'Enable'));
  await expect(status(page, 'Enabled ERP')).toBeVisible();

  const remove = button(page, 'Delete endpoint');
  await pressOn(page, remove);
  const question = page.getByRole('alertdialog', { name: 'Delete “ERP”?' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(remove).toBeFocused();
  await page.keyboard.press('Enter');
  await pressOn(page, question.getByRole('button', { name: 'Delete endpoint' }));
  await expect(page.getByRole('heading', { name: 'No endpoint yet' })).toBeVisible();
});

test('a token is made, shown this once, works, and is revoked', async () => {
  const page = await newPage(admin);
  await open(page, '/tokens');
  const opener = button(page, 'Create token');
  await pressOn(page, opener);
  const form = page.getByRole('dialog', { name: 'Create token' });
  await expect(form.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('erp');
  await pressOn(page, form.getByRole('checkbox', { name: 'Read tickets' }), 'Space');
  await pressOn(page, form.getByRole('button', { name: 'Create token' }));
  const program = caller(`${stack().ticketApi}/api/v3.0`, await storeSecret(page, 'New token'));
  await expect(opener).toBeFocused();
  expect((await program('GET /tickets')).status).toBe(200);
  expect((await program('POST /tickets', { title: 'Leak' })).status).toBe(403);
  const revoke = button(page, 'Revoke erp');
  await pressOn(page, revoke);
  await page.keyboard.press('Escape');
  await expect(revoke).toBeFocused();
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog', { name: 'Revoke “erp”?' });
  await pressOn(page, question.getByRole('button', { name: 'Revoke' }));
  await expect(status(page, 'Token “erp” revoked')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No tokens yet' })).toBeVisible();
  await eventually(async () => expect((await program('GET /tickets')).status).toBe(401));
});

test('a token that may do everything is made only once this was said and agreed to', async () => {
  const page = await newPage(admin);
  await open(page, '/tokens');
  await expect(page.getByRole('link', { name: 'API documents' })).toHaveAttribute('href', '/docs');
  await button(page, 'Create token').click();
  const form = page.getByRole('dialog', { name: 'Create token' });
  await form.getByRole('textbox', { name: 'Name' }).fill('all');
  await form.getByRole('button', { name: 'Create token' }).click();
  const question = page.getByRole('alertdialog', { name: 'Let “all” do everything that you may?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await ok(admin.ts('GET /api-tokens'))).data.items.map(({ name }: { name: string }) => name)).not.toContain(
    'all',
  );
  await form.getByRole('button', { name: 'Create token' }).click();
  await question.getByRole('button', { name: 'Create without limits' }).click();
  await expect(page.getByRole('dialog', { name: 'New token' })).toBeVisible();
});

test('a user is given a permission, and deactivated', async () => {
  const email = `keys.${admin.userId}@people.example`;
  await ok(admin.ts('POST /company/users', { first_name: 'Léa', last_name: 'Moreau', email, permissions: [] }));
  const page = await newPage(admin);
  await open(page, '/users');
  const edit = button(page, 'Edit Léa Moreau');
  const sheet = page.getByRole('dialog', { name: 'Léa Moreau' });
  await pressOn(page, edit);
  await pressOn(page, sheet.getByRole('checkbox', { name: /^Accounting/ }), 'Space');
  // While the list of places is open, all else is hidden from assistive technology.
  await pressOn(page, page.getByRole('button', { name: 'Save', includeHidden: true }));
  await expect(page.getByRole('row', { name: /Léa Moreau.*Accounting/ })).toBeVisible();
  await expect(edit).toBeFocused();
  await page.keyboard.press('Enter');
  await pressOn(page, page.getByRole('button', { name: 'Deactivate', includeHidden: true }));
  await pressOn(page, page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }));
  await expect(page.getByRole('row', { name: /Léa Moreau.*Deactivated/ })).toBeVisible();
  await expect(edit).toBeFocused();
});

test('a contractor is added to the directory, and changed; a wrong SIRET is said at its field', async () => {
  const page = await newPage(admin, { expectedErrors: /status of 422/ });
  await open(page, '/directory');
  const opener = button(page, 'Add contractor');
  await pressOn(page, opener);
  const form = page.getByRole('dialog', { name: 'Add contractor' });
  await expect(form.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Froid et Climat');
  await pressOn(page, form.getByRole('radio', { name: 'External' }), 'ArrowRight');
  // Enter in a field sends the form.
  const siret = form.getByRole('textbox', { name: 'SIRET' });
  await typeInto(page, siret, '123');
  await page.keyboard.press('Enter');
  await expect(siret).toHaveAccessibleDescription(/./);
  await typeInto(page, siret, '902 000 025 00012');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row', { name: /Froid et Climat.*90200002500012.*No account/ })).toBeVisible();
  await expect(opener).toBeFocused();

  const edit = button(page, 'Edit Froid et Climat');
  await pressOn(page, edit);
  const sheet = page.getByRole('dialog', { name: 'Froid et Climat' });
  await tabTo(page, sheet.getByRole('textbox', { name: 'Phone' }));
  await page.keyboard.type('04 72 00 00 00');
  await pressOn(page, sheet.getByRole('button', { name: 'Save' }));
  await expect(page.getByRole('row', { name: /Froid et Climat.*04 72 00 00 00/ })).toBeVisible();
  await expect(edit).toBeFocused();
  const { contractors } = (await ok(admin.api('GET /contractors'))).data;
  expect(contractors).toMatchObject([{ name: 'Froid et Climat', type: 'internal', phone: '04 72 00 00 00' }]);
});
