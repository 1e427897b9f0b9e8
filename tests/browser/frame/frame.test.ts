import type { Page } from '@playwright/test';
import { type Member, newCompany, newUser } from '../../e2e/platform.ts';
import { closeBrowser, closePages, consoleUrl, expect, newPage, open } from '../browser.ts';

let admin: Member;
let accountant: Member;
beforeAll(async () => {
  admin = await newCompany('client');
  accountant = await newUser(admin.companyId, ['accounting']);
});
afterEach(closePages);
afterAll(closeBrowser);

const refused = /status of 401/;
/** What the console keeps in the browser. */
const own = ['console.language', 'console.theme', 'console.shortcuts'];

async function signIn(page: Page, { email, password }: Pick<Member, 'email' | 'password'>): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('who is signed out signs in, and comes to the address that was asked for', async () => {
  const page = await newPage(null, { expectedErrors: refused });
  await open(page, '/tokens?x=1');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await signIn(page, { ...admin, password: 'something else' });
  await expect(page.getByRole('alert')).toHaveText('Email or password is wrong');
  const login = page.waitForResponse((answer) => answer.url().endsWith('/auth/login') && answer.ok());
  await signIn(page, admin);
  // No script gets the token.
  expect([(await login).status(), (await login).headers()['content-length']]).toEqual([204, undefined]);
  await expect(page).toHaveURL(`${consoleUrl()}/tokens?x=1`);
  await expect(page.getByRole('heading', { level: 1, name: 'API tokens' })).toBeVisible();
  // The session is in a cookie that scripts cannot read, and nowhere else.
  const cookies = await page.context().cookies();
  expect(cookies).toEqual([expect.objectContaining({ name: 'session', httpOnly: true, sameSite: 'Lax' })]);
  await page.getByRole('radio', { name: 'Dark' }).check();
  const stored = await page.evaluate(() => ({ ...localStorage, ...sessionStorage }));
  expect(stored).toMatchObject({ 'console.theme': 'dark' });
  expect(Object.keys(stored).filter((key) => !own.includes(key))).toEqual([]);
  expect(JSON.stringify(stored)).not.toContain(cookies[0]?.value);
  expect(await page.evaluate(() => document.cookie)).toBe('');
});

test.each(['//evil.example', 'https://evil.example', '/\\evil.example'])(
  'a sign-in does not lead to %s',
  async (to) => {
    const page = await newPage(null, { expectedErrors: refused });
    await open(page, `/login?to=${encodeURIComponent(to)}`);
    await signIn(page, admin);
    await expect(page).toHaveURL(/\/console\/?$/);
  },
);

test('who signs in without asking for a page begins with their work, and Home stays where it is', async () => {
  const page = await newPage(null, { expectedErrors: refused });
  await open(page, '/');
  await signIn(page, accountant);
  await expect(page.getByRole('heading', { level: 1, name: 'Invoices to match' })).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('list', { name: 'Waiting for you' })).toBeVisible();
});

const links = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link');

test.each([
  ['accounting', ['Home', 'Invoices', 'Connections'], '/tickets', 'Tickets'],
  ['tickets', ['Home', 'Tickets', 'Directory', 'Settings'], '/webhooks', 'API and webhooks'],
  ['api_webhooks', ['Home', 'Webhooks', 'API tokens'], '/users', 'Administrator'],
])(
  'the menu has what a user with “%s” alone may, and a forbidden page names the permission',
  async (given, may, forbidden, needed) => {
    const page = await newPage(given === 'accounting' ? accountant : await newUser(admin.companyId, [given]));
    await open(page, '/');
    await expect(links(page)).toHaveText(may);
    await open(page, forbidden);
    await expect(page.getByRole('heading', { name: `You need the permission “${needed}”.` })).toBeVisible();
    await open(page, '/nowhere');
    await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible();
  },
);

test('an administrator of a client has everything', async () => {
  const page = await newPage(admin);
  await open(page, '/');
  const all = [
    'Home',
    'Invoices',
    'Tickets',
    'Webhooks',
    'Connections',
    'API tokens',
    'Users',
    'Directory',
    'Settings',
  ];
  await expect(links(page)).toHaveText([...all, 'Audit']);
});

test('a contractor has no invoices, connections or directory', async () => {
  const page = await newPage(await newCompany('contractor'));
  await open(page, '/');
  await expect(links(page)).toHaveText(['Home', 'Tickets', 'Webhooks', 'API tokens', 'Users', 'Audit']);
  await open(page, '/invoices');
  await expect(page.getByRole('heading', { name: 'This page is not for your kind of company.' })).toBeVisible();
});

test('the language is changed in the account menu, and kept', async () => {
  const page = await newPage(accountant);
  await open(page, '/invoices');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Language' }).click();
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok());
  await page.getByRole('menuitemradio', { name: 'Français' }).click();
  await saved;
  for (const _ of ['at once', 'after a reload']) {
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
    await expect(page.getByRole('heading', { name: 'Factures à rapprocher' })).toBeVisible();
    await page.reload();
  }
  // In another browser, too.
  const elsewhere = await newPage(accountant);
  await open(elsewhere, '/invoices');
  await expect(elsewhere.getByRole('heading', { name: 'Factures à rapprocher' })).toBeVisible();
});

test('the theme is chosen, and kept', async () => {
  const page = await newPage(admin, { colorScheme: 'dark' });
  await open(page, '/');
  const colour = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const themes = page.getByRole('radiogroup', { name: 'Theme' });
  await expect(themes.getByRole('radio', { name: 'System' })).toBeChecked();
  expect(await colour()).toBe('rgb(17, 20, 24)');
  await themes.getByRole('radio', { name: 'Light' }).check();
  expect(await colour()).toBe('rgb(255, 255, 255)');
  await page.reload();
  await expect(themes.getByRole('radio', { name: 'Light' })).toBeChecked();
});

test('the first Tab leads past the menu, and dialogs give the focus back', async () => {
  const page = await newPage(admin);
  await open(page, '/users');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  const opener = page.getByRole('button', { name: 'Keyboard shortcuts' });
  await opener.click();
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();
});

test('keys open the help and lead to pages, until they are switched off', async () => {
  const page = await newPage(admin);
  await open(page, '/');
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toBeVisible();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(help).toBeVisible();
  await expect(help).not.toContainText('Next and previous row');
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await page.keyboard.type('gu');
  await expect(heading).toHaveText('Users');
  await page.keyboard.press('?');
  await help.getByRole('switch', { name: 'Use keyboard shortcuts' }).uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.type('gh');
  await page.keyboard.press('?');
  await expect(help).toBeHidden();
  await expect(heading).toHaveText('Users');
  // Keys with Ctrl work even if single-key shortcuts are switched off.
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: 'Go to' }).fill('tok');
  await expect(page.getByRole('menuitem')).toHaveText(['API tokens']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(heading).toHaveText('API tokens');
});

test('a sign-out that fails is said, and the page stays until it is done', async () => {
  const page = await newPage(await newUser(admin.companyId, ['accounting']), {
    expectedErrors: /status of (?:401|500)/,
  });
  await open(page, '/connections');
  const failed = { error: 'the test lets this fail', code: 'internal' };
  await page.route('**/auth/logout', (route) => route.fulfill({ status: 500, json: failed }), { times: 1 });
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  const question = page.getByRole('alertdialog', { name: 'You are still signed in' });
  await expect(question.getByRole('alert')).toContainText(failed.error, { ignoreCase: true });
  await expect(page).toHaveURL(`${consoleUrl()}/connections`);
  await question.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await open(page, '/connections');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('offline is said, until it is over', async () => {
  const page = await newPage(admin, { expectedErrors: /ERR_INTERNET_DISCONNECTED/ });
  await open(page, '/');
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
  await page.context().setOffline(true);
  await expect(page.getByRole('alert')).toContainText('You are offline');
  await page.context().setOffline(false);
  await expect(page.getByRole('alert')).toBeHidden();
});
