import type { Page } from '@playwright/test';
import { en as errors } from '../../../services/console/src/words/error-texts.en.ts';
import {
  type Contractor,
  type Member,
  newCompany,
  newContractorOf,
  newTicket,
  ok,
  pdfForm,
} from '../../e2e/platform.ts';
import { violations } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import {
  badge,
  bar,
  expectMovesOf,
  phone,
  photo,
  press,
  refusals,
  rows,
  statusMessage,
  useParties,
} from './ticket-pages.ts';

let client: Member;
let contractor: Contractor;
useParties((...parties) => {
  [client, contractor] = parties;
});

/** By the browser's clock and time zone. Work of an hour that began then is still going on. */
function halfAnHourAgo(page: Page): Promise<string> {
  return page.evaluate(() => {
    const at = new Date(Date.now() - 30 * 60_000);
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  });
}

async function numberOf(path: string): Promise<string> {
  return (await ok(client.api(`GET ${path}`))).data.number;
}

test('the list is newest first; search, view and status are in the address, and a view is kept', async () => {
  const member = await newCompany('client');
  const other = await newContractorOf(member);
  await newTicket(member, { title: 'Leaking roof' });
  await newTicket(member, { title: '<b>Broken</b> door', priority: 'high' });
  const proposed = await newTicket(member, { title: 'Cold boiler' });
  await ok(member.api(`POST ${proposed}/propose`, { contractor_ids: [other.id] }));
  const page = await newPage(member);
  await open(page, '/tickets?status=nonsense');
  await expect(rows(page)).toHaveText([/Number/, /Cold boiler/, /<b>Broken<\/b> door/, /Leaking roof/]);
  await page.getByRole('searchbox', { name: 'Search tickets' }).fill('brok');
  await expect(rows(page)).toHaveText([/Number/, /<b>Broken<\/b> door/]);
  await expect(page).toHaveURL(/q=brok/);
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Doors');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(statusMessage(page, 'View saved: Doors')).toBeVisible();
  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: /^To assign/ })
    .click();
  await expect(rows(page)).toHaveText([/Number/, /<b>Broken<\/b> door/, /Leaking roof/]);
  await page.reload();
  await expect(rows(page)).toHaveText([/Number/, /<b>Broken<\/b> door/, /Leaking roof/]);
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Overdue' }).click();
  await expect(page.getByRole('heading', { name: 'No ticket matches these filters' })).toBeVisible();
  await page.getByRole('link', { name: 'Doors' }).click();
  await expect(rows(page)).toHaveText([/Number/, /<b>Broken<\/b> door/]);
  await expect(page.getByRole('searchbox', { name: 'Search tickets' })).toHaveValue('brok');
  await rows(page).getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1, name: /<b>Broken<\/b> door/ })).toBeVisible();
});

test('a ticket goes from its creation to its end, and each party is offered what the API allows', async () => {
  const office = await newPage(client, { expectedErrors: refusals });
  const van = await newPage(contractor, phone);
  await open(office, '/tickets');
  await office.getByRole('link', { name: 'New ticket' }).click();
  await office.getByRole('button', { name: 'Create ticket' }).click();
  await expect(office.getByRole('textbox', { name: 'Title' })).toHaveAccessibleDescription(/required/);
  await office.getByRole('textbox', { name: 'Title' }).fill('Heating is cold');
  await office.getByRole('button', { name: 'Create ticket' }).click();
  await expect(badge(office, 'Open')).toBeVisible();
  const path = new URL(office.url()).pathname.replace('/console', '');
  await expectMovesOf(office, client, path);
  await press(office, 'Propose');
  await office.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await expect(office.getByRole('group', { name: 'Contractors' })).toHaveAccessibleDescription(/at least 1/);
  await office.getByRole('checkbox', { name: 'Fixit' }).check();
  await office.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await expect(badge(office, 'Proposed')).toBeVisible();
  await expectMovesOf(office, client, path);
  await open(van, '/tickets?view=to-answer');
  await van.getByRole('link', { name: await numberOf(path) }).click();
  await expect(badge(van, 'Proposed')).toBeVisible();
  await expectMovesOf(van, contractor, path);
  await press(van, 'Accept');
  await expect(badge(van, 'Accepted')).toBeVisible();
  await expectMovesOf(van, contractor, path);
  await press(van, 'Take charge');
  await expect(badge(van, 'Assigned')).toBeVisible();
  await expectMovesOf(van, contractor, path);
  await press(van, 'Plan work');
  await van.getByLabel('Start').fill(await halfAnHourAgo(van));
  await van.getByRole('dialog').getByRole('button', { name: 'Plan work' }).click();
  await expect(badge(van, 'Work planned')).toBeVisible();
  await expect(van.getByRole('list', { name: 'Dates' })).toContainText('Planned');
  await expectMovesOf(van, contractor, path);
  await press(van, 'Work done');
  await van.locator('input[type=file]:not([capture])').setInputFiles(photo);
  await van.getByRole('dialog').getByRole('button', { name: 'Work done' }).click();
  await expect(badge(van, 'Finished')).toBeVisible();
  await expect(van.getByRole('list', { name: 'Documents' })).toContainText('photo.png');
  await office.reload();
  await expect(badge(office, 'Finished')).toBeVisible();
  await expectMovesOf(office, client, path);
  await press(office, 'Close ticket');
  await expect(badge(office, 'Closed')).toBeVisible();
  await office.getByRole('button', { name: 'Undo' }).click();
  await expect(badge(office, 'Finished')).toBeVisible();
  await press(office, 'Close ticket');
  await expect(badge(office, 'Closed')).toBeVisible();
  const happened = office.getByRole('list', { name: 'Timeline' });
  for (const what of ['Created', 'Proposed', 'Assigned', 'Work planned', 'Work done', 'Report added', 'Closed'])
    await expect(happened.getByText(what, { exact: true }).first()).toBeVisible();
  expect(await van.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
});

test('a quote with a photo is sent from a phone, its faults are told at their fields, and the client decides', async () => {
  const path = await newTicket(client, { title: 'Quoted', price_threshold: 500 });
  const office = await newPage(client);
  await open(office, path);
  await press(office, 'Assign');
  await office.getByRole('combobox', { name: 'Contractor' }).fill('Fix');
  await office.getByRole('option', { name: 'Fixit' }).click();
  await office.getByRole('dialog').getByRole('button', { name: 'Assign' }).click();
  await expect(badge(office, 'Assigned')).toBeVisible();
  const van = await newPage(contractor, { ...phone, expectedErrors: refusals });
  await open(van, path);
  await press(van, 'Add quote');
  const sheet = van.getByRole('dialog');
  await sheet.getByRole('textbox', { name: /^Price/ }).fill('a lot');
  await sheet.getByRole('button', { name: 'Add quote' }).click();
  await expect(sheet.getByRole('textbox', { name: 'Reference' })).toHaveAccessibleDescription(/required/);
  await expect(sheet.getByRole('textbox', { name: /^Price/ })).toHaveAccessibleDescription(/decimal/);
  await expect(sheet.getByRole('textbox', { name: /^Price/ })).toHaveValue('a lot');
  await sheet.getByRole('textbox', { name: 'Reference' }).fill('D-77');
  await sheet.getByRole('textbox', { name: /^Price/ }).fill('1 234,50');
  await van.locator('input[capture=environment]').setInputFiles(photo);
  await sheet.getByRole('button', { name: 'Add quote' }).click();
  await expect(van.getByRole('list', { name: 'Quotes' })).toContainText('€1,234.50');
  await office.reload();
  await expectMovesOf(office, client, path);
  const quote = office.getByRole('list', { name: 'Quotes' }).getByRole('listitem');
  await expect(quote).toContainText('Above the threshold');
  const file = await office.request.get(
    (await quote.getByRole('link', { name: 'Download D-77' }).getAttribute('href')) ?? '',
  );
  expect(await file.body()).toEqual(photo.buffer);
  await press(office, 'Validate quote D-77');
  const question = office.getByRole('alertdialog', { name: /^Validate quote D-77: T-/ });
  await expect(question).toContainText('€1,234.50 HT, by Fixit.');
  await expect(question).toContainText('the price is accepted');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(badge(office, 'Quotes to decide')).toBeVisible();
  await quote.getByRole('button', { name: 'Validate quote' }).click();
  await question.getByRole('button', { name: 'Validate quote D-77' }).click();
  await expect(badge(office, 'Quote validated')).toBeVisible();
  // An address with `#quotes` leads to them.
  const low = await newPage(client, { viewport: { width: 1024, height: 300 } });
  await open(low, `${path}#quotes`);
  await expect(low.getByRole('heading', { name: 'Quotes', exact: true })).toBeInViewport();
  await expectMovesOf(office, client, path);
});

test('whoever uses the keyboard goes on from the moves after each of them', async () => {
  const page = await newPage(client);
  await open(page, await newTicket(client, { title: 'By keyboard' }));
  const cancel = bar(page).getByRole('button', { name: 'Cancel ticket' });
  await cancel.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(cancel).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toContainText('It ends for everyone who works on it');
  await page.getByRole('dialog').getByRole('textbox').fill('A mistake');
  await page.keyboard.press('Tab');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel ticket' }).press('Enter');
  await expect(badge(page, 'Canceled')).toBeVisible();
  await expect(bar(page)).toBeFocused();
});

test('a note of my company is not seen by the contractor, one for everyone is', async () => {
  const path = await newTicket(client);
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  const office = await newPage(client, { expectedErrors: refusals });
  await open(office, path);
  await expect(office.getByText(/^Read by .*Fixit/)).toBeVisible();
  await office.getByRole('button', { name: 'Add note' }).click();
  await expect(office.getByRole('textbox', { name: 'Note' })).toHaveAccessibleDescription(/required|empty|blank/);
  for (const [visible, text] of [
    ['Everyone', 'The key is at the desk'],
    ['My company', 'They are late again'],
  ] as const) {
    await office.getByRole('textbox', { name: 'Note' }).fill(text);
    await office.getByRole('radio', { name: visible }).check({ force: true });
    await office.getByRole('button', { name: 'Add note' }).click();
    await expect(office.getByRole('list', { name: 'Timeline' }).getByText(text)).toBeVisible();
  }
  const van = await newPage(contractor, phone);
  await open(van, path);
  await expect(van.getByRole('list', { name: 'Timeline' }).getByText('The key is at the desk')).toBeVisible();
  expect(await van.content()).not.toContain('late again');
});

test('a document, an order for a quote and its receipt are added; what is refused is told where it stands, and nothing entered is lost', async () => {
  const path = await newTicket(client);
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  await ok(contractor.api(`POST ${path}/quotes`, pdfForm({ reference: 'D-1', price: '480.50' })));
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  const sheet = page.getByRole('dialog');
  const add = () => sheet.getByRole('button', { name: 'Add', exact: true }).click();
  const [file, reference] = [
    page.locator('input[type=file]:not([capture])'),
    sheet.getByRole('textbox', { name: 'Reference' }),
  ];
  await page.getByRole('button', { name: 'Add document' }).click();
  await file.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') });
  await add();
  await expect(sheet.getByRole('alert')).toContainText(String(errors.file_type));
  await sheet.getByRole('button', { name: 'Remove notes.txt' }).click();
  await file.setInputFiles(photo);
  await add();
  await expect(page.getByRole('list', { name: 'Documents' }).getByRole('listitem')).toHaveText([/photo\.png/]);
  await page.getByRole('button', { name: 'Add purchase' }).click();
  // What may be left empty says so.
  const amount = sheet.getByRole('textbox', { name: 'Amount', exact: true });
  await sheet.getByRole('button', { name: /Quote/ }).click();
  await page.getByRole('option', { name: 'D-1', exact: true }).click();
  await expect(amount).toHaveValue('480.50');
  await amount.fill('much');
  await add();
  await expect(reference).toHaveAccessibleDescription(/required/);
  await expect(amount).toHaveAccessibleDescription(/number/);
  await reference.fill('PO-1');
  await amount.fill('1 200');
  await add();
  const purchases = page.getByRole('list', { name: 'Purchases' }).getByRole('listitem');
  await expect(purchases).toHaveText([/PO-1.*€1,200\.00/]);
  await page.getByRole('button', { name: 'Add purchase' }).click();
  await sheet.getByRole('button', { name: /Kind/ }).click();
  await page.getByRole('option', { name: 'Goods receipt' }).click();
  await sheet.getByRole('button', { name: /Purchase order/ }).click();
  await page.getByRole('option', { name: 'PO-1' }).click();
  await add();
  await expect(reference).toHaveAccessibleDescription(/required/);
  await expect(reference).toBeFocused();
  await reference.fill('GR-1');
  await add();
  await expect(purchases.filter({ hasText: 'GR-1' })).toContainText('of order PO-1');
});

test('a move that another made impossible says so, and the moves are fresh', async () => {
  const path = await newTicket(client);
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  await expect(bar(page).getByRole('button', { name: 'Qualify' })).toBeVisible();
  await ok(client.api(`PUT ${path}/cancel`, { reason_cancel: 'a mistake' }));
  await press(page, 'Qualify');
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Qualify' }).click();
  await expect(question.getByRole('alert')).toContainText('It has changed in the meantime');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(badge(page, 'Canceled')).toBeVisible();
  await expectMovesOf(page, client, path);
});

test('a contractor creates a ticket for a client that has it in its directory', async () => {
  const stranger = await newCompany('contractor');
  const nobody = await newPage(stranger, { expectedErrors: refusals });
  await open(nobody, '/tickets/new');
  await expect(nobody.getByRole('combobox', { name: 'Client' })).toHaveAccessibleDescription(/No client has/);
  await nobody.getByRole('textbox', { name: 'Title' }).fill('For nobody');
  await nobody.getByRole('button', { name: 'Create ticket' }).click();
  await expect(nobody.getByRole('combobox', { name: 'Client' })).toHaveAccessibleDescription(/required/);
  const van = await newPage(contractor, phone);
  await open(van, '/tickets');
  await van.getByRole('link', { name: 'New ticket' }).click();
  const { name } = (await ok(contractor.api('GET /clients'))).data.clients[0];
  await expect(van.getByRole('combobox', { name: 'Client' })).toHaveValue(name);
  await expect(van.getByRole('combobox', { name: 'Places' })).toHaveCount(0);
  expect(await violations(van)).toEqual([]);
  await van.getByRole('textbox', { name: 'Title' }).fill('Seen on my round');
  await van.getByRole('button', { name: 'Create ticket' }).click();
  await expect(van.getByRole('heading', { level: 1, name: /Seen on my round/ })).toBeVisible();
  const path = new URL(van.url()).pathname.replace('/console', '');
  await expectMovesOf(van, contractor, path);
  expect((await ok(client.api(`GET ${path}`))).data.title).toBe('Seen on my round');
});
