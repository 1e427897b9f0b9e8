import type { Page, Request } from '@playwright/test';
import { type Member, newCompany, newTicket, newUser, ok } from '../../e2e/platform.ts';
import { violations } from '../accessibility.ts';
import { closeBrowser, closePages, expect, newPage, open, pendingOf } from '../browser.ts';
import { pressOn } from '../keyboard.ts';

let boss: Member;
let colleague: Member;

beforeEach(async () => {
  boss = await newCompany('client');
  colleague = await newUser(boss.companyId, ['tickets']);
});
afterEach(closePages);
afterAll(closeBrowser);

const bell = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const mention = () => `Look, @[Ada Martin](user:${boss.userId})`;
const write = (path: string, note: string) => ok(colleague.api(`POST ${path}/notes`, { note, type: 'internal' }));
const isOf = (part: string) => (request: Request) => new URL(request.url()).pathname === `/notifications/${part}`;

test('a note by a colleague makes the bell count in every tab, and is opened and read by the keyboard alone', async () => {
  const path = await newTicket(boss, { title: 'Boiler is cold' });
  const [page, other] = [await newPage(boss), await newPage(boss)];
  const counted: Request[] = [];
  page.on('request', (request) => isOf('count')(request) && counted.push(request));
  for (const tab of [page, other]) {
    const streamed = tab.waitForEvent('requestfinished', isOf('count'));
    const opened = tab.waitForEvent('response', (response) => isOf('stream')(response.request()));
    await open(tab, '/tickets');
    await Promise.all([streamed, opened]);
  }
  await expect(bell(page, 'Notifications')).toBeVisible();
  await write(path, mention());
  for (const tab of [page, other]) await expect(bell(tab, 'Notifications, 1 unread')).toBeVisible();
  await expect(page.locator('[aria-live=polite]', { hasText: 'Notifications, 1 unread' })).toHaveCount(1);
  expect(counted).toHaveLength(1);

  await pressOn(page, bell(page, 'Notifications, 1 unread'));
  const panel = page.getByRole('dialog', { name: 'Notifications' });
  const item = panel.getByRole('link', { name: /Mention of you unread.*T-\S+ Boiler is cold.*Look, @Ada Martin/ });
  await expect(item).toBeVisible();
  // React Aria's popovers stand at the end of the page, outside its landmarks.
  expect((await violations(page)).filter((one) => !one.startsWith('region:'))).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(bell(page, 'Notifications, 1 unread')).toBeFocused();
  await page.keyboard.press('Enter');
  await pressOn(page, item);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Boiler is cold');
  await expect(panel).toHaveCount(0);
  for (const tab of [page, other]) await expect(bell(tab, 'Notifications')).toBeVisible();
});

test('of a deadline that comes near both languages say which, and when', async () => {
  const openings = [{ day: 1, from: '08:00', to: '18:00' }];
  const hours = [{ location_id: null, time_zone: 'Europe/Paris', openings, holidays: null, closed: [] }];
  const policies = [{ priority: 'high', finish: { amount: 5, unit: 'days' } }];
  await ok(boss.ts('PUT /clock-settings', { policies, hours }));
  const path = await newTicket(boss, { priority: 'high' });
  const due_at = new Date(Date.now() + 3_600_000);
  await ok(boss.api(`PUT ${path}/due-date`, { clock: 'finish', due_at, reason: 'Today after all' }));
  const unread = async () => (await ok(colleague.ts('GET /notifications/count'))).data.unread;
  await expect.poll(unread).toBe(1);
  for (const [locale, words] of [
    ['en-GB', /Finish due (Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b/],
    ['fr-FR', /Fin attendue le (lun|mar|mer|jeu|ven|sam|dim)\. \d/],
  ] as const) {
    const page = await newPage(colleague, { locale });
    await open(page, '/notifications');
    await expect(page.getByRole('list', { name: 'Notifications' })).toContainText(words);
  }
});

test('one note is one notification, and who wrote it gets none', async () => {
  const path = await newTicket(boss, { manager_ids: [boss.userId, colleague.userId] });
  const kindsOf = async ({ ts }: Member) => {
    const { data } = await ok(ts('GET /notifications?limit=50&unread=true'));
    return data.items.map(({ kind }: { kind: string }) => kind);
  };
  await write(path, mention());
  await expect.poll(() => kindsOf(boss)).toEqual(['mention']);
  await write(path, 'And now without');
  await expect.poll(() => kindsOf(boss)).toEqual(['note', 'mention']);
  await expect.poll(() => kindsOf(colleague)).toEqual(['assigned']);
});

test('without a stream the count is asked for, and a tab that nobody sees asks for nothing', async () => {
  const path = await newTicket(boss);
  const page = await newPage(boss, { isFresh: true, expectedErrors: /Failed to load resource/ });
  const pending = pendingOf(page);
  const seen: string[] = [];
  page.on('request', (request) => seen.push(new URL(request.url()).pathname));
  await page.route('**/notifications/stream', (route) => route.abort());
  await page.clock.install();
  await open(page, '/account');
  await expect(bell(page, 'Notifications')).toBeVisible();
  await write(path, mention());
  const countLater = async () => {
    await page.clock.runFor(31_000);
    return bell(page, 'Notifications, 1 unread').isVisible();
  };
  await expect.poll(countLater).toBe(true);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    window.dispatchEvent(new Event('visibilitychange'));
  });
  await expect.poll(pending).toBe(0);
  seen.length = 0;
  await page.clock.runFor(300_000);
  expect(seen).toEqual([]);
});

test('the page lists everything that is kept, page after page; one or all are marked as read', async () => {
  const page = await newPage(boss, { viewport: { width: 320, height: 640 } });
  await open(page, '/notifications');
  await expect(page.getByRole('heading', { name: 'Nothing in the last 90 days' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Mark all as read' })).toBeDisabled();
  const path = await newTicket(boss);
  for (let count = 0; count < 21; count += 1) await write(path, `${mention()} ${count}`);
  await expect(bell(page, 'Notifications, 21 unread')).toBeVisible();
  const items = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem');
  await expect(items).toHaveCount(20);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(items).toHaveCount(21);
  await items
    .first()
    .getByRole('button', { name: /^Mark as read: Mention of you, T-/ })
    .click();
  await expect(bell(page, 'Notifications, 20 unread')).toBeVisible();
  await expect(items.first().getByRole('button')).toHaveCount(0);
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(bell(page, 'Notifications')).toBeVisible();
  await expect(items.getByRole('button')).toHaveCount(0);
});

test('settings of each kind are kept, in both languages', async () => {
  const page = await newPage(colleague, { locale: 'fr-FR' });
  await open(page, '/notifications');
  await pressOn(page, page.getByRole('link', { name: 'Réglages des notifications' }));
  await expect(page.getByRole('table', { name: 'Notifications' }).getByRole('row')).toHaveCount(8);
  const note = page.getByRole('checkbox', { name: /Nouvelle note\s: Dans la console/ });
  const quote = page.getByRole('button', { name: /Devis à valider\s: Par e-mail/ });
  await expect(quote).toHaveText('Immédiatement');
  const kept = () => page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok());
  await Promise.all([kept(), note.press('Space')]);
  await quote.click();
  await Promise.all([kept(), page.getByRole('option', { name: 'Le lundi' }).click()]);
  await page.reload();
  await expect(note).not.toBeChecked();
  await expect(quote).toHaveText('Le lundi');
  await expect(page.getByRole('checkbox', { name: /Devis à valider\s: Dans la console/ })).toBeChecked();
  const { data } = await ok(colleague.ts('GET /notifications/settings'));
  expect(data.kinds).toMatchObject({ note: { console: false }, quote: { console: true, email: 'weekly' } });
});
