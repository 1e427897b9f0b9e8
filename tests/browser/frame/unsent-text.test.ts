import type { Receiver } from '@app/testing';
import type { Page } from '@playwright/test';
import { type Member, newCompany, newReceiver, newTicket, ok } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';
import { giveToken } from '../every-page/pages.ts';
import { statusMessage } from '../tickets/ticket-pages.ts';

/** What was entered: nothing leads away from it unasked, and it is sent once. */
let client: Member;
let receiver: Receiver;
beforeAll(async () => {
  [client, receiver] = await Promise.all([newCompany('client'), newReceiver()]);
});
afterEach(closePages);
afterAll(async () => {
  await closeBrowser();
  await receiver.close();
});

const question = (page: Page) => page.getByRole('alertdialog', { name: 'Leave without sending?' });
async function stay(page: Page): Promise<void> {
  await question(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(question(page)).toHaveCount(0);
}
const leave = (page: Page) => question(page).getByRole('button', { name: 'Leave' }).click();
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

/** The browser's own question, as it is asked when a tab is closed. */
async function expectCloseAsks(page: Page): Promise<void> {
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
}

const ways: Record<string, (page: Page) => Promise<unknown>> = {
  'a link': (page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tickets' }).click(),
  'two keys': (page) => page.keyboard.type('gt'),
  Escape: (page) => page.keyboard.press('Escape'),
  async 'Go to'(page) {
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: 'Go to' }).fill('Tickets');
    await page.getByRole('menuitem', { name: 'Tickets' }).click();
  },
};

test('whatever leads away asks before a note is lost, each time, and then leads away', async () => {
  const page = await newPage(client);
  await open(page, await newTicket(client));
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.fill('The key is at the desk');
  for (const go of Object.values(ways)) {
    await heading(page).click();
    await go(page);
    await expect(question(page)).toContainText('What you entered on this page is lost.');
    await stay(page);
    await expect(note).toHaveValue('The key is at the desk');
  }
  await page.keyboard.press('Escape');
  await leave(page);
  await expect(page).toHaveURL(/\/tickets$/);
  await expect(heading(page)).toHaveText('Tickets');
});

/** As the browser's own buttons do, without waiting for the page that may not come. */
async function traverse(page: Page, by: number): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const { currentIndex, entries } = await browser.send('Page.getNavigationHistory');
  const { id: entryId } = entries[currentIndex + by] as (typeof entries)[number];
  await browser.send('Page.navigateToHistoryEntry', { entryId });
  await browser.detach();
}

test('Back and Forward ask as well, each time, and lead where they would have led', async () => {
  const path = await newTicket(client);
  const page = await newPage(client);
  await open(page, '/account');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tickets' }).click();
  await page.getByRole('table', { name: 'Tickets' }).getByRole('link').first().click();
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.fill('The key is at the desk');
  for (let time = 0; time < 2; time++) {
    await traverse(page, -1);
    await stay(page);
    await expect(page).toHaveURL(new RegExp(path));
    await expect(note).toHaveValue('The key is at the desk');
  }
  await traverse(page, -2);
  await leave(page);
  await expect(page).toHaveURL(/\/account$/);
  await page.getByRole('textbox', { name: 'First name' }).fill('Zoé');
  await traverse(page, 1);
  await leave(page);
  await expect(page).toHaveURL(/\/tickets$/);
  await traverse(page, 1);
  await expect(note).toHaveValue('');
});

test('the tab asks before it is closed; without text nothing asks', async () => {
  const page = await newPage(client);
  await open(page, await newTicket(client));
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.fill('The key is at the desk');
  await expectCloseAsks(page);
  await expect(note).toHaveValue('The key is at the desk');
  await note.fill('');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tickets' }).click();
  await expect(heading(page)).toHaveText('Tickets');
});

test('a note that is written while the one before is on its way stays', async () => {
  const page = await newPage(client);
  await open(page, await newTicket(client));
  const note = page.getByRole('textbox', { name: 'Note' });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/notes$/, async (route) => {
    if (route.request().method() === 'POST') await released;
    await route.continue();
  });
  await note.fill('The key is at the desk');
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/notes'));
  await page.getByRole('button', { name: 'Add note' }).click();
  await sent;
  await note.fill('They are late again');
  release();
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await expect(statusMessage(page, 'Note added')).toBeVisible();
  await expect(timeline.getByText('The key is at the desk')).toBeVisible();
  await expect(note).toHaveValue('They are late again');
});

test('a tab of a page asks before it is changed, and what was sent is nothing to ask about', async () => {
  const body = { name: 'ERP', url: receiver.url('/'), events: ['ticket.status_changed'] };
  const { data } = await ok(client.ts('POST /webhooks/endpoints', body));
  const page = await newPage(client);
  await open(page, `/webhooks/${data.id}?tab=settings`);
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('ERP of Lyon');
  await page.getByRole('tab', { name: 'Deliveries' }).click();
  await stay(page);
  await expect(name).toHaveValue('ERP of Lyon');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(heading(page)).toContainText('ERP of Lyon');
  await page.getByRole('tab', { name: 'Deliveries' }).click();
  await expect(page.getByRole('button', { name: 'Recover…' })).toBeVisible();
});

test('the tab of an operator asks as well', async () => {
  const page = await newPage(null);
  await open(page, '/platform/companies');
  await giveToken(page);
  await page.getByRole('button', { name: 'Create company' }).click();
  const name = page.getByRole('dialog', { name: 'Create company' }).getByRole('textbox', { name: 'Name' });
  await name.fill('Halles');
  await expectCloseAsks(page);
  await expect(name).toHaveValue('Halles');
});

/**
 * The first change at that path is carried out; its answer is held, and lost once `lose` is called.
 */
async function loseAnswer(page: Page, of: RegExp): Promise<{ sent: () => number; lose: () => void }> {
  let sent = 0;
  let lose: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  await page.route(of, async (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    sent += 1;
    if (sent > 1) return route.fallback();
    await route.fetch();
    await lost;
    return route.abort();
  });
  return { sent: () => sent, lose };
}

const pdf = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') };

/** JSON from a page of its own, and a file from a dialog. That every POST is repeated once: api/idempotency.ts. */
const writes = [
  {
    what: 'a ticket',
    of: /\/api\/v3\.0\/tickets$/,
    send: 'Create ticket',
    entered: 'Once only',
    async enter(page: Page) {
      await open(page, '/tickets/new');
      const title = page.getByRole('textbox', { name: 'Title' });
      await title.fill('Once only');
      return { form: page, field: title };
    },
    count: async (): Promise<number> => (await ok(client.api('GET /tickets?q=Once'))).data.tickets.length,
  },
  {
    what: 'a document',
    of: /\/documents$/,
    send: 'Add',
    entered: 'plan.pdf',
    async enter(page: Page, ticket: string) {
      await open(page, ticket);
      await page.getByRole('button', { name: 'Add document', exact: true }).click();
      await page.locator('input[type=file]:not([capture])').setInputFiles(pdf);
      const form = page.getByRole('dialog');
      return { form, field: form.getByRole('listitem').locator('span').first() };
    },
    count: async (ticket: string): Promise<number> =>
      (await ok(client.api(`GET ${ticket}/documents`))).data.documents.length,
  },
];

test.each(writes)(
  '$what whose answer is late, then lost, is made once',
  async ({ of, send, entered, enter, count }) => {
    const ticket = await newTicket(client);
    // 409: e2e/every-operation/idempotency.test.ts lets no answer be stored for a while, so that the console waits for the claim to end.
    const page = await newPage(client, { expectedErrors: /ERR_FAILED|status of 409/ });
    const { sent, lose } = await loseAnswer(page, of);
    const { form, field } = await enter(page, ticket);
    const button = form.getByRole('button', { name: send, exact: true });
    await button.click();
    await expect.poll(sent).toBe(1);
    // Late: it is pressed again in vain, and everything stays as it was entered.
    await button.click({ force: true });
    await page.keyboard.press('Enter');
    const holds = () => field.evaluate((one) => ('value' in one ? String(one.value) : (one.textContent ?? '')));
    expect(await holds()).toBe(entered);
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
    lose();
    await expect(page.getByRole('alert').filter({ hasText: 'The server does not answer' })).toBeVisible();
    expect([sent(), await holds()]).toEqual([1, entered]);
    await expect(page.locator('[role=status][data-react-aria-top-layer]')).toHaveText('');
    const answered = page.waitForResponse((answer) => of.test(new URL(answer.url()).pathname) && answer.ok());
    await button.click();
    await answered;
    await expect(page.getByRole('alert')).toHaveCount(0);
    expect(await count(ticket)).toBe(1);
  },
);
