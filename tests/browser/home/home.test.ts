import { eventually } from '@app/testing';
import type { Page } from '@playwright/test';
import { type Member, newCompany, newTicket, newUser, ok } from '../../e2e/platform.ts';
import { sidewaysBy, violations } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import { pressOn } from '../keyboard.ts';
import { phone } from '../tickets/ticket-pages.ts';
import { useWorld, type World } from '../world.ts';

/** Home by what the person does: which cards, what they say, where they lead, and how they fail. */
let world: World;
let manager: Member;
let accountant: Member;
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
useWorld(async (one) => {
  world = one;
  const { client, contractor } = world;
  [manager, accountant] = await Promise.all([
    newUser(client.companyId, ['tickets']),
    newUser(client.companyId, ['accounting']),
  ]);
  const address = { city: 'Lyon', route: 'Rue de la Part-Dieu', streetNumber: '1', postalCode: '69003' };
  const place = (await ok(client.api('POST /locations', { name: 'Lyon depot', address }))).data.location._id;
  await ok(client.ts(`PATCH /company/users/${client.userId}`, { phone: '+33 4 72 00 00 00' }));
  const given = { title: 'Boiler', location_ids: [place], contact_ids: [client.userId] };
  const planned = await newTicket(client, given);
  await ok(client.api(`POST ${planned}/assign`, { contractor_id: contractor.id }));
  const work = { start: tomorrow, end: tomorrow, type: 'planned', category: 'intervention' };
  await ok(contractor.api(`POST ${planned}/dates`, work));
  const asked = await newTicket(client, { title: 'Broken lock' });
  await ok(client.api(`POST ${asked}/propose`, { contractor_ids: [contractor.id] }));
  await eventually(async () => {
    const { data } = await ok(contractor.api(`GET ${planned}`));
    if (data.contacts[0]?.phone === null) throw new Error('the number of the contact is not known yet');
  });
  await Promise.all([client, contractor].map(counted));
});

/** Waits until everything of the company is in its figures. */
async function counted(member: Member): Promise<void> {
  await eventually(async () => {
    const { data } = await ok(member.ts('GET /statistics/tickets/open'));
    const count = (data.items as { count: number }[]).reduce((sum, item) => sum + item.count, 0);
    if (count !== 3 || data.pending > 0) throw new Error(`${count} tickets are counted, ${data.pending} are not`);
  });
}

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const titles = (page: Page) => page.getByRole('region').getByRole('heading', { level: 2 });

/** Nothing is wrong with the page: at 320 px, in both themes. */
async function expectItFits(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await sidewaysBy(page)).toBe(0);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((one) => document.documentElement.setAttribute('data-theme', one), theme);
    expect(await violations(page)).toEqual([]);
  }
}

test('a facility manager sees tickets, spend and contractors, and each bar opens its list', async () => {
  const page = await newPage(manager);
  await open(page, '/');
  await expect(titles(page)).toHaveText([
    ...['Quotes to decide', 'Open tickets', 'Visits and work of the next 7 days', 'Spend by month', 'Spend by place'],
    ...['Committed and invoiced this year', 'Contractors'],
  ]);
  await expect(card(page, 'Quotes to decide').getByRole('listitem')).toContainText(['€950.00 HT']);
  const committed = card(page, 'Committed and invoiced this year');
  await expect(committed.getByRole('list').getByRole('listitem')).toContainText(['Orders€950.00']);
  const contractors = card(page, 'Contractors');
  await expect(contractors.getByRole('row', { name: /^Fixit/ })).toBeVisible();
  const openTickets = card(page, 'Open tickets');
  await openTickets.getByText('As a table').click();
  await expect(openTickets.getByRole('row')).toHaveText([
    /^Status/,
    /^Proposed1/,
    /^Work planned1/,
    /^Quotes to decide1/,
  ]);
  await expectItFits(page);
  await openTickets.getByRole('list', { name: 'Open tickets' }).getByRole('link', { name: 'Work planned' }).click();
  await expect(page).toHaveURL(/\/tickets\?status=intervention$/);
  await expect(page.getByRole('row', { name: /Boiler/ })).toBeVisible();
});

test('a figure is read, opened and saved by keyboard', async () => {
  const page = await newPage(manager);
  await open(page, '/');
  const openTickets = card(page, 'Open tickets');
  const saved = page.waitForEvent('download');
  await pressOn(page, openTickets.getByRole('button', { name: 'Download as CSV: Open tickets' }));
  expect((await saved).suggestedFilename()).toBe('Open tickets.csv');
  await pressOn(page, openTickets.getByText('As a table'));
  await expect(openTickets.getByRole('table', { name: 'Open tickets' })).toBeVisible();
  await pressOn(page, openTickets.getByRole('table').getByRole('link', { name: 'Proposed' }));
  await expect(page).toHaveURL(/\/tickets\?status=proposed$/);
});

test('an accountant sees invoices alone: without tickets there are no figures of tickets', async () => {
  const page = await newPage(accountant);
  await open(page, '/');
  await expect(titles(page)).toHaveText([
    ...['Invoices to treat', 'Falling due', 'To check before paying', 'Matched by itself'],
  ]);
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await expectItFits(page);
});

test('a contractor sees on a phone where to go, whom to answer, and what became of quotes', async () => {
  const page = await newPage(world.contractor, phone);
  await open(page, '/');
  await expect(titles(page)).toHaveText([
    ...['Today and this week', 'Proposals to answer', 'Your quotes', 'Done and not invoiced', 'Your work'],
  ]);
  const agenda = card(page, 'Today and this week');
  const stop = agenda.getByRole('list', { name: 'This week' }).getByRole('listitem');
  await expect(stop).toHaveText(/tomorrow.*Boiler.*1 Rue de la Part-Dieu 69003 Lyon/);
  await expect(stop.getByRole('link', { name: 'Call +33 4 72 00 00 00' })).toHaveAttribute('href', 'tel:+33472000000');
  await expect(stop.getByRole('link', { name: /^Map of/ })).toHaveAttribute(
    'href',
    'https://www.openstreetmap.org/search?query=1%20Rue%20de%20la%20Part-Dieu%2069003%20Lyon',
  );
  await expect(card(page, 'Your quotes').getByRole('link', { name: /^Pending/ })).toContainText('€950.00');
  await expectItFits(page);
  await card(page, 'Proposals to answer')
    .getByRole('link', { name: /Broken lock/ })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Broken lock');
});

test('a card that fails says so with Retry, and the others stand', async () => {
  const page = await newPage(manager, { expectedErrors: /status of 500/ });
  const json = { error: 'the test lets this fail', code: 'internal_error' };
  await page.route(/\/statistics\/tickets\/commitments/, (route) => route.fulfill({ status: 500, json }));
  await open(page, '/');
  const failing = card(page, 'Committed and invoiced this year');
  await expect(failing.getByRole('alert')).toBeVisible();
  await expect(card(page, 'Open tickets').getByRole('link', { name: 'Proposed' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(1);
  await page.unrouteAll();
  await failing.getByRole('button', { name: 'Retry' }).click();
  await expect(failing.getByRole('list')).toContainText(['Orders€950.00']);
});

test('a company without data reads a sentence in each card', async () => {
  const page = await newPage(await newCompany('client'));
  await open(page, '/');
  await expect(titles(page)).toHaveCount(13);
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  for (const sentence of ['No ticket is open.', 'No quote waits for you.', 'No invoice waits for a person.'])
    await expect(page.getByText(sentence, { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Download as CSV/ })).toHaveCount(0);
  await expectItFits(page);
});

test('a quote is decided in place', async () => {
  const page = await newPage(manager);
  await open(page, '/');
  const quotes = card(page, 'Quotes to decide');
  await quotes.getByRole('button', { name: /^Validate: D-77/ }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('€950.00 HT');
  await dialog.getByRole('button', { name: /Validate quote/ }).click();
  await expect(quotes.getByText('No quote waits for you.')).toBeVisible();
  const { data } = await ok(world.client.api(`GET ${world.ticket}`));
  expect(data.quotes.map(({ status }: { status: string }) => status)).toEqual(['validated']);
});
