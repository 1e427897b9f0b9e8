import type { Receiver } from '@app/testing';
import type { Page } from '@playwright/test';
import { type Member, newCompany, newReceiver, newTicket, ok } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';
import { giveToken } from '../every-page/pages.ts';
import { statusMessage } from '../tickets/ticket-pages.ts';

/** What was entered and not sent: nothing leads away from it unasked. */
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

test.each(Object.entries(ways))('%s asks before a note is lost, and then leads away', async (_name, go) => {
  const page = await newPage(client);
  await open(page, await newTicket(client));
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.fill('The key is at the desk');
  await heading(page).click();
  await go(page);
  await expect(question(page)).toContainText('What you entered on this page is lost.');
  await stay(page);
  await expect(note).toHaveValue('The key is at the desk');
  await go(page);
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
  await expect(timeline.getByText('The key is at the desk')).toBeVisible();
  await expect(statusMessage(page, 'Note added')).toBeVisible();
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
