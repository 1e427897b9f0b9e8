import type { Page } from '@playwright/test';
import axios from 'axios';
import {
  type Member,
  newCompany,
  newContractorOf,
  newTicket,
  newUser,
  ok,
  pdfForm,
  stack,
} from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
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
const own = ['console.language', 'console.theme', 'console.shortcuts', 'console.actions'];

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
  const hidden = { httpOnly: true, sameSite: 'Lax' };
  expect(cookies).toMatchObject([
    { name: 'session', ...hidden },
    { name: 'device', ...hidden },
  ]);
  await page.getByRole('radio', { name: 'Dark' }).check();
  const stored = await page.evaluate(() => ({ ...localStorage, ...sessionStorage }));
  expect(stored).toMatchObject({ 'console.theme': 'dark' });
  expect(Object.keys(stored).filter((key) => !own.includes(key))).toEqual([]);
  expect(JSON.stringify(stored)).not.toContain(cookies[0]?.value);
  expect(await page.evaluate(() => document.cookie)).toBe('');
});

const waiting = (page: Page) => page.getByRole('list', { name: 'Waiting for you' }).getByRole('listitem');

// Which paths it leads to: return-path.test.ts of the console.
test('a sign-in does not lead to another site, but to the work of who signs in, and Home stays where it is', async () => {
  const page = await newPage(null, { expectedErrors: refused });
  await open(page, `/login?to=${encodeURIComponent('//evil.example')}`);
  await signIn(page, accountant);
  await expect(page.getByRole('heading', { level: 1, name: 'Invoices to match' })).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(waiting(page)).toHaveText([/^0Invoices to match/, /^0Invoices in review/]);
});

const links = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link');

const all = [
  'Home',
  'Invoices',
  'Tickets',
  'Agenda',
  'Webhooks',
  'Connections',
  'API tokens',
  'Users',
  'Directory',
  'Settings',
];

const withAlone = (permission: string) => newUser(admin.companyId, [permission]);
const ofContractor = ['Home', 'Tickets', 'Agenda', 'Webhooks', 'API tokens', 'Users', 'Audit'];

test.each<[string, () => Member | Promise<Member>, may: string[], path: string, why: RegExp]>([
  ['accounting', () => accountant, ['Home', 'Invoices', 'Connections'], '/tickets', /permission “Tickets”/],
  [
    'tickets',
    () => withAlone('tickets'),
    ['Home', 'Tickets', 'Agenda', 'Directory', 'Settings'],
    '/webhooks',
    /“API and webhooks”/,
  ],
  ['api_webhooks', () => withAlone('api_webhooks'), ['Home', 'Webhooks', 'API tokens'], '/users', /“Administrator”/],
  ['admin', () => admin, [...all, 'Audit'], '/nowhere', /There is no such page/],
  ['admin of a contractor', () => newCompany('contractor'), ofContractor, '/invoices', /not for your kind of company/],
])(
  'the menu of “%s” has what they may, and another page says why it is not shown',
  async (_who, member, may, path, why) => {
    const page = await newPage(await member());
    await open(page, path);
    await expect(page.getByRole('heading', { name: why })).toBeVisible();
    await expect(links(page)).toHaveText(may);
  },
);

async function newTickets(client: Member, count: number): Promise<string[]> {
  const paths: string[] = [];
  while (paths.length < count) {
    const batch = Math.min(10, count - paths.length);
    paths.push(...(await Promise.all(Array.from({ length: batch }, () => newTicket(client)))));
  }
  return paths;
}

test('what waits is counted, also beyond a hundred, and each leads to its list', async () => {
  const client = await newCompany('client');
  const fixit = await newContractorOf(client);
  const [proposed] = await newTickets(client, 105);
  await ok(client.api(`POST ${proposed}/propose`, { contractor_ids: [fixit.id] }));
  const page = await newPage(client);
  await open(page, '/');
  await expect(waiting(page).filter({ hasText: 'Tickets to assign' })).toHaveText(/^104/);
  await expect(waiting(page).filter({ hasText: 'Invoices to match' })).toHaveText(/^0/);
  await page.getByRole('link', { name: 'Tickets to assign' }).click();
  await expect(page).toHaveURL(/\/tickets\?view=to-assign$/);
  await expect(page.getByRole('link', { name: /^To assign/ })).toHaveText('To assign104');
  const van = await newPage(fixit);
  await open(van, '/');
  await expect(waiting(van).first()).toHaveText(/^1Proposals to answer/);
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
  for (const path of ['/webhooks/new', '/tickets/new', '/users']) {
    await open(page, path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  }
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

test('after too many wrong passwords it is said when the next one may be tried', async () => {
  const { email } = await newUser(admin.companyId, ['accounting']);
  const guess = { email, password: 'not the password' };
  for (let n = 0; n < 10; n += 1)
    await axios.post(`${stack().tsApi}/auth/login`, guess, { validateStatus: () => true });
  const page = await newPage(null, { expectedErrors: /status of 4(01|29)/ });
  await open(page, '/login');
  await signIn(page, guess);
  await expect(page.getByRole('alert')).toHaveText(/^Too many attempts\. Possible again in \d+ minutes\.$/);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
});

test.each(['/invoices/zz', '/tickets/zz', '/webhooks/zz', '/webhooks/zz/deliveries/zz'])(
  'there is no page %s',
  async (path) => {
    const page = await newPage(admin);
    await open(page, path);
    await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible();
  },
);

test('“Go to” finds tickets by their words', async () => {
  const client = await newCompany('client');
  const path = await newTicket(client, { title: 'Boiler of the east wing' });
  const page = await newPage(client);
  await open(page, '/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const search = page.getByRole('searchbox', { name: 'Go to' });
  await search.fill('boiler wing');
  await expect(page.getByRole('menuitem')).toHaveText([/T-\d+ Boiler of the east wing/]);
  await page.getByRole('menuitem').click();
  await expect(page).toHaveURL(`${consoleUrl()}${path}`);
  await page.keyboard.press('Control+k');
  await search.fill('nothing is called so');
  await expect(page.getByText('No match.')).toBeVisible();
});

const goTo = (page: Page, name = 'Go to') => page.getByRole('searchbox', { name });

test.each([
  [
    'en-GB',
    'Go to',
    ['Place · Lyon', 'Equipment · SN-42', 'Contractor · 73282932000074', 'Invoices of this supplier · 732829320'],
  ],
  [
    'fr-FR',
    'Aller à',
    ['Lieu · Lyon', 'Équipement · SN-42', 'Prestataire · 73282932000074', 'Factures de ce fournisseur · 732829320'],
  ],
])('“Go to” in %s finds places, equipment, contractors and amounts, and leads to each', async (locale, name, hints) => {
  const client = await newCompany('client');
  const fixit = await newContractorOf(client);
  const place = { name: 'North quay', reference: 'NQ-7', address: { city: 'Lyon' } };
  const { location } = (await ok(client.api('POST /locations', place))).data;
  const { equipment } = (await ok(client.api('POST /equipments', { name: 'North lift', serial_number: 'SN-42' }))).data;
  await ok(client.api('POST /contractors', { name: 'North lifts', siret: '73282932000074' }));
  const path = await newTicket(client, { title: 'Quoted' });
  await ok(client.api(`POST ${path}/assign`, { contractor_id: fixit.id }));
  await ok(fixit.api(`POST ${path}/quotes`, pdfForm({ reference: 'D-1', price: '1261.25' })));
  const page = await newPage(client, { locale });
  await open(page, '/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const found = [
    ['NQ7', [`NQ-7 North quay${hints[0]}`], `/settings/locations/${location._id}`],
    ['north sn42', [`North lift${hints[1]}`], `/settings/equipments/${equipment._id}`],
    ['lifts', [`North lifts${hints[2]}`, `North lifts${hints[3]}`], '/directory?q=73282932000074'],
    ['1261,25', [/^T-\d+ Quoted/], path],
  ] as const;
  for (const [text, items, href] of found) {
    await page.keyboard.press('Control+k');
    await goTo(page, name).fill(text);
    await expect(page.getByRole('menuitem')).toHaveText([...items]);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${consoleUrl()}${href}`);
  }
  await page.keyboard.press('Control+k');
  await goTo(page, name).fill('north');
  await expect(page.getByRole('menuitem')).toHaveCount(4);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('“Go to” asks once for each kind that its user may see, and no longer waits once the typing goes on', async () => {
  const client = await newCompany('client');
  const [accountant, planner] = [
    await newUser(client.companyId, ['accounting']),
    await newUser(client.companyId, ['tickets']),
  ];
  const kinds = ['/api/v3.0/tickets', '/api/v3.0/contractors', '/api/v3.0/locations', '/api/v3.0/equipments'];
  for (const [member, paths] of [
    [client, [...kinds, '/invoices/search']],
    [planner, kinds],
    [accountant, ['/api/v3.0/contractors', '/invoices/search']],
    [await newContractorOf(client), kinds.slice(0, 1)],
  ] as const) {
    const page = await newPage(member);
    await open(page, '/');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (searchParams.get('q')?.startsWith('roof')) asked.push(pathname);
    });
    await page.keyboard.press('Control+k');
    await goTo(page).fill('roof');
    await expect(page.getByText('No match.')).toBeVisible();
    expect(asked.sort()).toEqual([...paths].sort());
    // Never answered.
    await page.route(/q=rooft&/, () => undefined);
    const first = page.waitForRequest(/q=rooft&/);
    await goTo(page).fill('rooft');
    await first;
    const canceled = page.waitForEvent('requestfailed', (request) => request.url().includes('q=rooft&'));
    await goTo(page).fill('roof of nothing');
    await canceled;
    await expect(page.getByText('No match.')).toBeVisible();
  }
});

test('after a sign-out, Back shows nothing of the page, and the next user none of the actions', async () => {
  const member = await newUser(admin.companyId, ['admin']);
  const page = await newPage(member, { expectedErrors: refused });
  await open(page, await newTicket(admin));
  await page.getByRole('button', { name: 'Close ticket' }).click();
  await expect(page.getByRole('status')).toContainText('Closed: T-');
  await page.reload();
  const actions = () => page.getByRole('button', { name: 'My actions' }).click();
  await actions();
  const closed = page.getByRole('dialog', { name: 'My actions' }).getByRole('link', { name: /^Closed: T-/ });
  await expect(closed).toHaveAttribute('href', /\/tickets\/[0-9a-f]{24}$/);
  await page.keyboard.press('Escape');
  // As a browser does that kept the page as it was left.
  const reloaded = page.waitForEvent('domcontentloaded');
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await reloaded;
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('offline is said, until it is over', async () => {
  const page = await newPage(admin, { expectedErrors: /ERR_INTERNET_DISCONNECTED/ });
  await open(page, '/');
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await page.context().setOffline(true);
  await expect(page.getByRole('alert')).toContainText('You are offline');
  await page.context().setOffline(false);
  await expect(page.getByRole('alert')).toBeHidden();
});
