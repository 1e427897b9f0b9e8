import { eventually, rowsOfCsv, rowsOfXlsx } from '@app/testing';
import type { Page } from '@playwright/test';
import {
  logIn,
  type Member,
  newCompany,
  newContractorOf,
  newTicket,
  newUser,
  ok,
  pdfForm,
} from '../../e2e/platform.ts';
import { expect, newPage, open, saved } from '../browser.ts';
import { pressOn, tabTo } from '../keyboard.ts';
import { phone } from '../tickets/ticket-pages.ts';
import { useWorld, type World } from '../world.ts';
import { card, expectItFits, titles } from './cards.ts';

/** Home by what the person does: which cards, what they say, where they lead, and how they fail. */
let world: World;
let manager: Member;
let place: string;
const dayMs = 86_400_000;
/** Not today, whatever the time is. */
const soon = new Date(Date.now() + 2.5 * dayMs).toISOString();
useWorld(async (one) => {
  world = one;
  const { client, contractor } = world;
  manager = await newUser(client.companyId, ['tickets']);
  const address = { city: 'Lyon', route: 'Rue de la Part-Dieu', streetNumber: '1', postalCode: '69003' };
  place = (await ok(client.api('POST /locations', { name: 'Lyon depot', address }))).data.location._id;
  await ok(client.ts(`PATCH /company/users/${client.userId}`, { phone: '+33 4 72 00 00 00' }));
  const given = { title: 'Boiler', location_ids: [place], contact_ids: [client.userId] };
  const planned = await newTicket(client, given);
  await ok(client.api(`POST ${planned}/assign`, { contractor_id: contractor.id }));
  const work = { start: soon, end: soon, type: 'planned', category: 'intervention' };
  await ok(contractor.api(`POST ${planned}/dates`, work));
  const asked = await newTicket(client, { title: 'Broken lock' });
  await ok(client.api(`POST ${asked}/propose`, { contractor_ids: [contractor.id] }));
  await eventually(async () => {
    const { data } = await ok(contractor.api(`GET ${planned}`));
    if (data.contacts[0]?.phone === null) throw new Error('the number of the contact is not known yet');
  });
  const { views } = (await ok(client.api(`GET ${world.ticket}`))).data;
  const onTicket = { ticketId: world.ticket.split('/')[2], viewId: views.at(-1)._id };
  await ok(client.ts(`POST ${world.invoice}/link`, onTicket));
  await Promise.all([client, contractor].map(counted));
  await eventually(async () => {
    const { data } = await ok(client.ts('GET /statistics/invoices/to-treat'));
    if (data.pending > 0) throw new Error(`${data.pending} invoices are not counted`);
  });
  await eventually(async () => {
    const { data } = await ok(contractor.ts('GET /statistics/tickets/invoices'));
    if (data.items.length === 0) throw new Error('the invoice is not counted yet');
  });
});

/** Waits until everything of the company is in its figures. */
async function counted(member: Member): Promise<void> {
  await eventually(async () => {
    const { data } = await ok(member.ts('GET /statistics/tickets/open'));
    const count = (data.items as { count: number }[]).reduce((sum, item) => sum + item.count, 0);
    if (count !== 3 || data.pending > 0) throw new Error(`${count} tickets are counted, ${data.pending} are not`);
  });
}

test('a facility manager sees tickets, spend and contractors, and each bar opens its list', async () => {
  const page = await newPage(manager);
  await open(page, '/');
  await expect(titles(page)).toHaveText([
    ...['Quotes to decide', 'Open tickets', 'Visits and work in the next 7 days', 'Committed and invoiced this year'],
    ...['Deadlines, by contractor', 'Deadlines, by place', 'Spend by month', 'Spend by place', 'Contractors'],
  ]);
  await expect(card(page, 'Quotes to decide').getByRole('listitem')).toContainText(['€950.00 HT']);
  const committed = card(page, 'Committed and invoiced this year');
  await expect(committed.getByRole('list').getByRole('listitem')).toContainText(['Orders€950.00']);
  const planned = card(page, 'Visits and work in the next 7 days').getByRole('listitem');
  await expect(planned.filter({ hasText: /[a-z]1$/i })).toHaveCount(1);
  const months = card(page, 'Spend by month').getByRole('listitem');
  await expect(months.filter({ hasText: '€100.00' })).toHaveCount(1);
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

test('a cell and a bar open the list of what they count, which says so', async () => {
  const page = await newPage(manager);
  const work = { contractor: world.contractor.id, name: 'Fixit', declined: 7, missed: 0, minutes_to_accept: 30 };
  const json = { from: '2026-09-01', to: '2026-12-01', pending: 0, items: [work] };
  await page.route(/\/statistics\/tickets\/contractors/, (route) => route.fulfill({ json }));
  await open(page, '/');
  const openTickets = card(page, 'Open tickets');
  await openTickets.getByText('As a table').click();
  await openTickets
    .getByRole('row', { name: /^Work planned/ })
    .getByRole('link', { name: '1' })
    .click();
  await expect(page).toHaveURL(/countedIn=open&countedFrom=.*&countedTo=.*&status=intervention$/);
  const tickets = page.getByRole('table', { name: 'Tickets' }).getByRole('row');
  await expect(tickets).toHaveText([/^/, /Boiler/]);
  await expect(page.getByRole('button', { name: 'More filters (3)' })).toBeVisible();
  await page.goBack();
  const orders = card(page, 'Committed and invoiced this year').getByRole('list').getByRole('link', { name: 'Orders' });
  await orders.click();
  await expect(tickets).toHaveCount(2);
  await page.getByRole('button', { name: 'More filters (4)' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: /Counts in/ })).toContainText('Orders');
  await expect(page.getByRole('dialog').getByRole('button', { name: /Counts for/ })).toContainText('EUR');
  await page.keyboard.press('Escape');
  await page.goBack();
  await card(page, 'Spend by place').getByRole('list').getByRole('link', { name: 'No place' }).click();
  await expect(page).toHaveURL(/countedIn=invoiced&countedFrom=\d{4}-01-01&countedOf=place%3A%2Ccurrency%3AEUR$/);
  await expect(tickets).toHaveCount(2);
  await page.goBack();
  await card(page, 'Contractors')
    .getByRole('row', { name: /^Fixit/ })
    .getByRole('link', { name: '7' })
    .click();
  await expect(page).toHaveURL(new RegExp(`countedIn=work.declined&.*countedOf=contractor%3A${world.contractor.id}$`));
  await page.getByRole('button', { name: 'More filters (4)' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: /Counts in/ })).toContainText('Work declined');
  await expect(page.getByRole('dialog').getByRole('button', { name: /Counts for/ })).toContainText('Fixit');
});

test('a figure is read, opened and saved by keyboard', async () => {
  const page = await newPage(manager);
  await open(page, '/');
  const openTickets = card(page, 'Open tickets');
  const button = openTickets.getByRole('button', { name: 'Download for Excel: Open tickets' });
  await tabTo(page, button);
  const file = await saved(button);
  expect(file.name).toBe('Open tickets.xlsx');
  expect(await rowsOfXlsx(file.bytes)).toEqual([
    ['Status', 'Up to 2 days', '3 to 7', '8 to 30', '31 to 90', 'More than 90'],
    ...['Proposed', 'Work planned', 'Quotes to decide'].map((status) => [status, 1, 0, 0, 0, 0]),
  ]);
  await pressOn(page, openTickets.getByText('As a table'));
  await expect(openTickets.getByRole('table', { name: 'Open tickets' })).toBeVisible();
  await pressOn(page, openTickets.getByRole('table').getByRole('link', { name: 'Proposed' }));
  await expect(page).toHaveURL(/\/tickets\?status=proposed$/);
});

test('amounts are numbers in a file, in French as well', async () => {
  const page = await newPage(manager, { locale: 'fr-FR' });
  await open(page, '/');
  const spend = card(page, 'Dépenses par lieu');
  const fileOf = async (button: string) =>
    (await saved(spend.getByRole('button', { name: `${button} : Dépenses par lieu` }))).bytes;
  const year = new Date().getFullYear();
  const head = ['Lieu', `${year}`, `${year - 1}`, 'Devise'];
  expect(await rowsOfXlsx(await fileOf('Télécharger pour Excel'))).toEqual([head, ['Sans lieu', 100, 0, 'EUR']]);
  expect(rowsOfCsv(await fileOf('Télécharger en CSV'), ';')).toEqual([head, ['Sans lieu', '100', '0', 'EUR']]);
});

/** Each figure of Home as its file for Excel, by its title. */
async function filesOf(page: Page, label: RegExp): Promise<Map<string, unknown[][]>> {
  await open(page, '/');
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  const files = new Map<string, unknown[][]>();
  for (const button of await page.getByRole('button', { name: label }).all()) {
    const { name, bytes } = await saved(button);
    files.set(name.replace('.xlsx', ''), await rowsOfXlsx(bytes));
  }
  return files;
}

test('every figure is a file that opens, whatever its title, with days as days', async () => {
  const isEmpty = (rows: unknown[][]) => rows.length < 2;
  const english = await filesOf(await newPage(world.client), /^Download for Excel: /);
  const french = await filesOf(await newPage(world.client, { locale: 'fr-FR' }), /^Télécharger pour Excel/);
  const ofContractor = await filesOf(await newPage(world.contractor), /^Download for Excel: /);
  expect([english.size, french.size, ofContractor.size]).toEqual([8, 8, 3]);
  for (const files of [english, french, ofContractor]) expect([...files.values()].filter(isEmpty)).toEqual([]);
  for (const title of ['Visits and work in the next 7 days', 'How invoices were matched'])
    expect(
      english
        .get(title)
        ?.slice(1)
        .every(([day]) => day instanceof Date),
    ).toBe(true);
});

test('of many suppliers the largest are drawn, and each currency by itself', async () => {
  const page = await newPage(world.client);
  const supplier = (name: string, currency: string, amount: number) => {
    return { supplier: name, name, standing: 'placed', currency, count: 1, amount, amount_with_vat: amount };
  };
  const items = Array.from({ length: 2_000 }, (_, index) => supplier(`S${index}`, index % 2 ? 'CHF' : 'EUR', index));
  const json = { from: null, to: null, pending: 0, items };
  await page.route(/\/statistics\/invoices\/payable\?.*supplier/, (route) => route.fulfill({ json }));
  await open(page, '/');
  await expect(card(page, 'How invoices were matched').getByRole('listitem').last()).toHaveText(/20\d\d1$/);
  const suppliers = card(page, 'Due this month, by supplier');
  const largest = (currency: string) =>
    suppliers.getByRole('list', { name: new RegExp(currency) }).getByRole('listitem');
  await expect(largest('EUR')).toHaveCount(8);
  await expect(suppliers).toContainText('As a table: all 1,000');
  await expect(largest('EUR').first()).toHaveText('S1998€1,998.00');
  await expect(largest('CHF').first()).toHaveText('S1999CHF 1,999.00');
  await expectItFits(page);
});

test('a facility manager who is limited to a place reads figures of what is there', async () => {
  const user = await newUser(world.client.companyId, ['tickets', 'accounting']);
  await ok(world.client.ts(`PATCH /company/users/${user.userId}`, { place_ids: [place] }));
  const page = await newPage(await logIn(user));
  await open(page, '/');
  const bars = card(page, 'Open tickets').getByRole('list', { name: 'Open tickets' });
  await expect(bars.getByRole('listitem')).toHaveText(['Work planned1']);
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a contractor sees on a phone where to go, whom to answer, and what became of quotes', async () => {
  const page = await newPage(world.contractor, phone);
  await open(page, '/');
  await expect(titles(page)).toHaveText([
    ...['Today and this week', 'Proposals to answer', 'Your quotes', 'Done and not invoiced'],
    ...['Where your invoices stand', 'Your work', 'Deadlines'],
  ]);
  const agenda = card(page, 'Today and this week');
  const stop = agenda.getByRole('list', { name: 'This week' }).getByRole('listitem');
  await expect(stop).toHaveText(/^\w{3},? \d+ \w+, \d\d:\d\d.*Boiler.*1 Rue de la Part-Dieu 69003 Lyon/);
  await expect(stop.getByRole('link', { name: 'Call +33 4 72 00 00 00' })).toHaveAttribute('href', 'tel:+33472000000');
  await expect(stop.getByRole('link', { name: /^Map of/ })).toHaveAttribute(
    'href',
    'https://www.openstreetmap.org/search?query=1%20Rue%20de%20la%20Part-Dieu%2069003%20Lyon',
  );
  await expect(card(page, 'Your quotes').getByRole('link', { name: /^Pending/ })).toContainText('€950.00');
  const invoices = card(page, 'Where your invoices stand');
  await expect(invoices.getByRole('list')).toHaveText(/^No answer yet€100\.00$/);
  await invoices.getByText('As a table').click();
  await expect(invoices.getByRole('row', { name: /^No answer yet/ })).toHaveText(/€100\.00€120\.001$/);
  const list = invoices.getByRole('list').getByRole('link', { name: 'No answer yet' });
  await expect(card(page, 'Your work').getByRole('listitem')).toHaveText([
    'On time–',
    'Dates missed0',
    'Reports missing0',
    'Time to accept–',
  ]);
  await expect(list).toHaveAttribute('href', /\/tickets\?countedIn=billed\.received&countedFrom=\d{4}-01-01&/);
  await expectItFits(page);
  await stop.getByRole('link', { name: /Boiler/ }).click();
  const details = page.getByRole('region', { name: 'Details' });
  await expect(details.getByRole('link', { name: '+33 4 72 00 00 00' })).toHaveAttribute('href', 'tel:+33472000000');
  const map = details.getByRole('link', { name: /^Lyon depot, 1 Rue/ });
  await expect(map).toHaveAttribute('href', /openstreetmap\.org.*Part-Dieu/);
  await page.goBack();
  await card(page, 'Proposals to answer')
    .getByRole('link', { name: /Broken lock/ })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Broken lock');
  await page.route(/\/tickets\?.*status=proposed/, async (route) => {
    const response = await route.fetch();
    const [proposed] = (await response.json()).tickets;
    const found = Array.from({ length: 7 }, (_, index) => ({ ...proposed, _id: `${proposed._id.slice(1)}${index}` }));
    await route.fulfill({ response, json: { tickets: found, cursor: 'next' } });
  });
  await open(page, '/');
  await expect(card(page, 'Proposals to answer').getByRole('link', { name: '2+ more' })).toBeVisible();
});

test('what was kept in time is drawn by contractor and place, and for the contractor by client', async () => {
  const client = await newCompany('client');
  const worker = await newContractorOf(client);
  const location = (await ok(client.api('POST /locations', { name: 'Lille' }))).data.location._id;
  const openings = [{ day: 1, from: '08:00', to: '18:00' }];
  await ok(
    client.ts('PUT /clock-settings', {
      policies: [{ priority: 'none', response: { amount: 1, unit: 'days' }, finish: { amount: 2, unit: 'days' } }],
      hours: [{ time_zone: 'Europe/Paris', openings }],
    }),
  );
  const ticket = await newTicket(client, { location_ids: [location] });
  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: worker.id }));
  await ok(client.api(`PUT ${ticket}/finish`));
  await eventually(async () => {
    const { data } = await ok(client.ts('GET /statistics/tickets/deadlines'));
    expect(data).toMatchObject({ pending: 0, items: [{ result: 'in_time' }, { result: 'in_time' }] });
  });
  const page = await newPage(client);
  await open(page, '/');
  const bars = (shown: Page, title: string) => card(shown, title).getByRole('list', { name: title });
  await expect(bars(page, 'Deadlines, by place').getByRole('listitem')).toHaveText(['Lille2']);
  await expectItFits(page);
  await bars(page, 'Deadlines, by contractor').getByRole('link', { name: 'Fixit' }).click();
  await expect(page).toHaveURL(new RegExp(`countedIn=deadlines&.*&countedOf=contractor%3A${worker.id}$`));
  await expect(page.getByRole('row', { name: /Leak/ })).toBeVisible();
  const own = await newPage(worker);
  await open(own, '/');
  await expect(bars(own, 'Deadlines').getByRole('listitem')).toHaveText([/2$/]);
});

test('a card that fails says so with Retry, and the others stand', async () => {
  const page = await newPage(manager, { expectedErrors: /status of 500/ });
  const json = { error: 'the test lets this fail', code: 'internal_error' };
  await page.route(/\/statistics\/tickets\/spend/, (route) => route.fulfill({ status: 500, json }));
  await open(page, '/');
  const failing = card(page, 'Spend by place');
  await expect(failing.getByRole('alert')).toBeVisible();
  await expect(card(page, 'Open tickets').getByRole('link', { name: 'Proposed' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(1);
  await page.unrouteAll();
  await failing.getByRole('button', { name: 'Retry' }).click();
  await expect(failing.getByRole('list', { name: 'Spend by place' })).toContainText('No place€100.00');
});

test('a company without data reads a sentence in each card', async () => {
  const page = await newPage(await newCompany('client'));
  await open(page, '/');
  await expect(titles(page)).toHaveCount(15);
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  for (const sentence of [
    'No ticket is open.',
    'No quote is waiting for you.',
    'No invoice is waiting for a decision.',
  ])
    await expect(page.getByText(sentence, { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Download as CSV/ })).toHaveCount(0);
  await expectItFits(page);
});

test('a visit stays in the week while a quote waits, and who lost the ticket has no quote to decide', async () => {
  const client = await newCompany('client');
  const [former, current] = [await newContractorOf(client), await newContractorOf(client)];
  const ticket = await newTicket(client, { title: 'Boiler' });
  for (const worker of [former, current]) {
    await ok(client.api(`POST ${ticket}/assign`, { contractor_id: worker.id }));
    await ok(worker.api(`POST ${ticket}/dates`, { start: soon, end: soon, type: 'planned', category: 'visit' }));
    await ok(worker.api(`POST ${ticket}/quotes`, pdfForm({ reference: `D-${worker.id}`, price: '90' })));
  }
  expect((await ok(client.api(`GET ${ticket}`))).data).toMatchObject({
    status: 'validation',
    quotes: [{ status: 'pending' }, { status: 'pending' }],
  });
  const own = await newPage(current);
  await open(own, '/');
  await expect(card(own, 'Today and this week').getByRole('listitem')).toHaveText([/Boiler/]);
  const page = await newPage(client);
  await open(page, '/');
  const quotes = card(page, 'Quotes to decide');
  await expect(quotes.getByRole('button', { name: `Validate: D-${current.id}` })).toHaveCount(1);
  await expect(quotes.getByRole('listitem')).toHaveCount(1);
});

test('a quote is decided in place', async () => {
  const page = await newPage(manager);
  await open(page, '/');
  const quotes = card(page, 'Quotes to decide');
  await quotes.getByRole('button', { name: /^Validate: D-77/ }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('€950.00 HT');
  await dialog.getByRole('button', { name: /Validate quote/ }).click();
  await expect(quotes.getByText('No quote is waiting for you.')).toBeVisible();
  const { data } = await ok(world.client.api(`GET ${world.ticket}`));
  expect(data.quotes.map(({ status }: { status: string }) => status)).toEqual(['validated']);
});
