import { randomUUID } from 'node:crypto';
import { eventually, rowsOfCsv, rowsOfXlsx } from '@app/testing';
import { newAccount, provider } from '../../e2e/invoicing.ts';
import { type Member, newCompany, newTicket, ok } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { closeBrowser, closePages, csvOf, expect, newPage, open, saved } from '../browser.ts';
import { pressOn } from '../keyboard.ts';
import { photo } from '../tickets/ticket-pages.ts';

let admin: Member;
beforeAll(async () => {
  admin = await newCompany('client');
});
afterEach(closePages);
afterAll(closeBrowser);

test('places are added, changed and deleted', async () => {
  const page = await newPage(admin);
  await open(page, '/settings');
  await page.getByRole('button', { name: 'Add' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('textbox', { name: 'Name' }).fill('Lyon Part-Dieu');
  await sheet.getByRole('textbox', { name: 'Street and number' }).fill('17 rue des Essais');
  await sheet.getByRole('textbox', { name: 'Town' }).fill('Lyon');
  await sheet.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('row', { name: /Lyon Part-Dieu.*17 rue des Essais, Lyon/ })).toBeVisible();
  await page.getByRole('button', { name: 'Edit Lyon Part-Dieu' }).click();
  await sheet.getByRole('textbox', { name: 'Reference' }).fill('LYO-01');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /LYO-01.*17 rue des Essais, Lyon/ })).toBeVisible();
  await page.getByRole('button', { name: 'Delete Lyon Part-Dieu' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Lyon Part-Dieu' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeVisible();
});

test('equipment has a page: what is known of it, its photo, its costs and its tickets', async () => {
  const client = await newCompany('client');
  await ok(client.api('POST /locations', { name: 'Lyon Part-Dieu' }));
  const page = await newPage(client);
  await open(page, '/settings/equipments');
  await page.getByRole('button', { name: 'Add' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('textbox', { name: 'Name' }).fill('Boiler 2');
  await sheet.getByRole('combobox', { name: 'Place' }).fill('Lyon');
  await page.getByRole('option', { name: 'Lyon Part-Dieu' }).click();
  await sheet.getByRole('textbox', { name: 'Serial number' }).fill('SN-1');
  await sheet.getByLabel('Under warranty until').fill('2020-12-31');
  await sheet.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('link', { name: 'Boiler 2' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Boiler 2' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Details' })).toContainText(/Lyon Part-Dieu.*SN-1.*Warranty is over/);
  const picture = page.getByRole('region', { name: 'Photo' });
  await picture.locator('input[type=file]').setInputFiles(photo);
  await expect(picture.getByRole('button', { name: 'photo.png' }).getByRole('img')).toHaveJSProperty('naturalWidth', 1);
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const ticket = await newTicket(client, { title: 'No heat', equipment_ids: [id] });
  await page.reload();
  await page.getByRole('table', { name: 'Tickets' }).getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`${ticket}$`));
  await page.getByRole('link', { name: 'Boiler 2' }).click();
  await expect(page.getByRole('region', { name: 'Costs' })).toContainText(/Invoices.*€0\.00 HT/);
});

test('a long list is searched as a whole, and a place is part of one that stands on another page of it', async () => {
  const client = await newCompany('client');
  const made: { _id: string }[] = [];
  const make = async (name: string) =>
    void made.push((await ok(client.api('POST /locations', { name }))).data.location);
  await make('Site 1');
  for (let ten = 0; ten < 20; ten += 1)
    await Promise.all(Array.from({ length: 10 }, (_, n) => make(`Site ${2 + ten * 10 + n}`)));
  await make('Château-d’Eau');
  // The oldest come first, two hundred on a page.
  await ok(client.api(`PATCH /locations/${made[0]?._id}`, { parent_id: made.at(-1)?._id }));
  const page = await newPage(client);
  await open(page, '/settings');
  await expect(page.getByRole('row', { name: /^Site 1 .*Château/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /^Château/ })).toHaveCount(0);
  const search = page.getByRole('searchbox', { name: 'Search this list' });
  // Pasted from a letter, with its dash.
  await search.fill('chateau\u2011d');
  await expect(page.getByRole('row')).toHaveText([/^Name/, /^Château-d’Eau/]);
  await search.fill('nowhere');
  await expect(page.getByRole('heading', { name: 'No match.' })).toBeVisible();
  await search.fill('');
  await page.getByRole('button', { name: 'Edit Site 2', exact: true }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('combobox', { name: 'Part of' }).fill('Château\u2011d');
  await page.getByRole('option', { name: 'Château-d’Eau' }).click();
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /^Site 2 .*Château/ })).toBeVisible();
});

test('places are imported from a file: what it would change is shown, a fault stops all, and a corrected file goes in, also one that was downloaded', async () => {
  const client = await newCompany('client');
  await ok(client.api('POST /locations', { name: 'Lyon', reference: 'LYO' }));
  const page = await newPage(client);
  await open(page, '/settings');
  await page.getByRole('button', { name: 'Import…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import places' });
  const choose = (csv: string) =>
    dialog
      .getByLabel('Choose a CSV file')
      .and(page.locator('input'))
      .setInputFiles({ name: 'places.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  const importing = dialog.getByRole('button', { name: /^Import/ });
  await choose('reference;name;parent\nLYO;Lyon Part-Dieu;\n;Quai;Nowhere');
  await expect(dialog.getByRole('row', { name: /Quai.*Fault.*parent Is neither on your list/ })).toBeVisible();
  await expect(importing).toBeDisabled();
  await choose('reference;name;parent\nLYO;Lyon Part-Dieu;\n;Quai;LYO');
  await expect(dialog.getByRole('row', { name: /Lyon Part-Dieu.*Changed.*Lyon → Lyon Part-Dieu/ })).toBeVisible();
  await expect(dialog.getByRole('row', { name: /Quai.*New/ })).toBeVisible();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('row', { name: /^Quai.*Lyon Part-Dieu/ })).toBeVisible();

  await page.getByRole('searchbox', { name: 'Search this list' }).fill('quai');
  await expect(page.getByRole('row')).toHaveText([/^Name/, /^Quai/]);
  const fileOf = async (name: string) => (await saved(page.getByRole('button', { name, exact: true }))).bytes;
  const csv = await fileOf('Download as CSV');
  const excel = await rowsOfXlsx(await fileOf('Download for Excel'));
  for (const rows of [rowsOfCsv(csv, ','), excel]) expect(rows.map(([, name]) => name)).toEqual(['name', 'Quai']);
  await page.getByRole('button', { name: 'Import…' }).click();
  await choose(String(csv).replace('Quai', 'Quai Sud'));
  await expect(dialog.getByRole('row', { name: /Quai Sud.*Changed.*Quai → Quai Sud/ })).toBeVisible();
  await dialog.getByRole('button', { name: 'Import 1 row' }).click();
  await expect(page.getByRole('row', { name: /^Quai Sud.*Lyon Part-Dieu/ })).toBeVisible();
});

test('a custom field has a name in each language', async () => {
  const page = await newPage(admin);
  await open(page, '/settings/custom-fields');
  await page.getByRole('button', { name: 'Add' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('textbox', { name: 'Name in French' }).fill('Étage');
  await sheet.getByRole('textbox', { name: 'Name in English' }).fill('Floor');
  await sheet.getByRole('radio', { name: 'Tickets', exact: true }).check();
  await sheet.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('row', { name: /Floor.*Tickets/ })).toBeVisible();
});

test('a connection is added, the fault of a choice stays until something is chosen; it is paused, resumed by Undo, and deleted', async () => {
  const page = await newPage(admin, { expectedErrors: /status of 422/ });
  await open(page, '/connections');
  await page.getByRole('button', { name: 'Add connection' }).click();
  const form = page.getByRole('dialog', { name: 'Add connection' });
  const [provider, key] = [form.getByRole('button', { name: /Provider/ }), form.getByLabel('API key')];
  const fault = /required|empty/;
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(provider).toHaveAccessibleDescription(fault);
  await expect(key).toHaveAccessibleDescription(fault);
  // Opening and closing the list corrects nothing: the fault stays.
  await provider.click();
  await page.keyboard.press('Escape');
  await key.focus();
  await expect(provider).toHaveAccessibleDescription(fault);
  await provider.click();
  await page.getByRole('option', { name: /sandbox/i }).click();
  await expect(provider).not.toHaveAccessibleDescription(fault);
  await expect(key).toHaveAccessibleDescription(fault);
  await key.fill('key-of-the-sandbox');
  await expect(key).not.toHaveAccessibleDescription(fault);
  await expect(provider).not.toHaveAccessibleDescription(fault);
  await form.getByRole('button', { name: 'Add connection' }).click();

  await page.getByRole('button', { name: 'Edit Sandbox' }).click();
  const sheet = page.getByRole('dialog', { name: 'Sandbox' });
  await expect(sheet.getByLabel('API key')).toHaveValue('');
  await expect(sheet.getByLabel('Webhook secret')).toHaveAccessibleDescription(/Without one/);
  await sheet.getByLabel('Webhook secret').fill('secret-of-the-sandbox');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit Sandbox' }).click();
  await expect(sheet.getByLabel('Webhook secret')).toHaveAccessibleDescription(/the one that is stored stays/);
  // Nothing is entered, so nothing changes.
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(sheet).toBeHidden();
  await page.getByRole('button', { name: 'Edit Sandbox' }).click();
  await expect(sheet.getByText(/\/webhooks\/invoice-providers\/sandbox$/)).toBeVisible();
  await sheet.getByRole('button', { name: 'Pause' }).click();
  await expect(sheet.getByRole('button', { name: 'Resume' })).toBeVisible();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect(sheet.getByRole('button', { name: 'Pause' })).toBeVisible();
  await sheet.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'No connection yet' })).toBeVisible();
  // The row that opened the sheet is gone with it.
  await expect(page.getByRole('main')).toBeFocused();
});

test('an invoice that was given up is tried again, until it is fetched; one that never comes is dismissed', async () => {
  const account = await newAccount(admin);
  const { id } = (await ok(account.connect())).data;
  const number = `F-${randomUUID()}`;
  const fetches = `GET /invoices/${number}`;
  await ok(provider()('POST /admin/faults', { kind: 'status', status: 422, on: fetches, times: 1 }));
  // Long enough that the page sees it being tried again, and has to look once more.
  await ok(provider()('POST /admin/faults', { kind: 'delay', ms: 2_000, on: fetches }));
  const amounts = { ht: '100.00', tva: '20.00', ttc: '120.00' };
  // Older than the connection: polls do not list it, so that nothing fetches it again but the button.
  const updated_at = '2026-11-02T08:00:00.000Z';
  await account.put({ id: number, number, issue_date: '2026-11-02', updated_at, currency: 'EUR', amounts });
  const failed = async () => (await ok(admin.ts(`GET /invoice-connections/${id}/failures`))).data;
  await eventually(async () => expect((await failed()).items).toMatchObject([{ externalId: number, retrying: false }]));

  const page = await newPage(admin);
  await open(page, '/connections');
  await page.getByRole('button', { name: 'Edit Sandbox' }).click();
  const sheet = page.getByRole('dialog', { name: 'Sandbox' });
  const failures = sheet.getByRole('table', { name: 'Invoices given up' });
  await expect(failures.getByRole('row').filter({ hasText: number })).toContainText(
    'The provider’s answer (422): “this failure was asked for”',
  );

  expect(await csvOf(sheet)).toEqual([
    ['Invoice', 'Reason', 'At (UTC)'],
    [number, 'The provider’s answer (422): “this failure was asked for”', expect.stringMatching(/^20\d\d-/)],
  ]);
  await failures.getByRole('button', { name: `Try ${number} again` }).click();
  await expect(sheet).toContainText('None: every invoice was fetched, or dismissed.');

  const missing = `F-${randomUUID()}`;
  await ok(provider()('POST /admin/faults', { kind: 'status', status: 422, on: `GET /invoices/${missing}` }));
  await account.put({ id: missing, number: missing, issue_date: '2026-11-02', updated_at, currency: 'EUR', amounts });
  await eventually(async () => expect((await failed()).items).toMatchObject([{ externalId: missing }]));
  await page.reload();
  await page.getByRole('button', { name: 'Edit Sandbox' }).click();
  await failures.getByRole('button', { name: `Dismiss ${missing}` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Dismiss' }).click();
  await expect(sheet).toContainText('None: every invoice was fetched, or dismissed.');
});

test('a client asks a contractor, who sees its tickets once it has accepted', async () => {
  const [client, contractor] = [await newCompany('client'), await newCompany('contractor')];
  const { company } = (await ok(client.ts('GET /auth/session'))).data;
  const asking = await ok(client.api('POST /contractors', { name: 'Durand', company_id: contractor.companyId }));
  const ticket = await newTicket(client, { title: 'A leak for Durand' });
  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: asking.data._id }));
  const directory = await newPage(client);
  await open(directory, '/directory');
  await expect(directory.getByRole('row', { name: /Durand/ })).toContainText('Waiting for its agreement');

  const page = await newPage(contractor);
  await open(page, '/');
  const requests = page.getByRole('region', { name: 'Clients that ask to work with you' });
  await expect(requests).toContainText('Durand');
  await requests.getByRole('button', { name: `Accept: ${company.name}` }).click();
  await expect(requests).toBeHidden();
  await eventually(async () => expect((await contractor.api(`GET ${ticket}`)).status).toBe(200));
  await open(page, '/tickets?view=to-plan');
  await expect(page.getByText('A leak for Durand')).toBeVisible();
});

test('values of tickets’ fields are imported by keyboard, in French: the preview says each, and a fault why not', async () => {
  const client = await newCompany('client');
  const name = { fr: 'N° de commande', en: 'Order number' };
  await ok(client.api('POST /custom-fields', { name, target: 'ticket' }));
  const path = await newTicket(client);
  const { number } = (await ok(client.api(`GET ${path}`))).data;
  const page = await newPage(client, { locale: 'fr-FR' });
  await open(page, '/settings/custom-fields');
  await pressOn(page, page.getByRole('button', { name: 'Importer des valeurs de tickets…' }));
  const dialog = page.getByRole('dialog', { name: 'Importer des valeurs de champs des tickets' });
  const choose = (csv: string) =>
    dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'tickets.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await choose(`number;N° de commande\n${number};PO-7\nT-0;PO-8`);
  await expect(dialog.getByRole('row', { name: /T-0.*number N’existe plus/ })).toBeVisible();
  await choose(`number;N° de commande\n${number};PO-7`);
  await expect(dialog.getByRole('row', { name: new RegExp(`${number} Leak.*N° de commande .* → PO-7`) })).toBeVisible();
  await pressOn(page, dialog.getByRole('button', { name: 'Importer 1 ligne' }));
  await expect(dialog).toBeHidden();
  expect((await ok(client.api(`GET ${path}`))).data.fields).toMatchObject([{ name, value: 'PO-7' }]);
});
