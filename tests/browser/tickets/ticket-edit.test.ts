import type { Page } from '@playwright/test';
import { type Contractor, type Member, newTicket, newUser, ok } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { expect, newPage, open, pendingOf, settled } from '../browser.ts';
import { badge, bar, phone, photo, refusals, statusMessage, useParties } from './ticket-pages.ts';

let client: Member;
let contractor: Contractor;
useParties((...parties) => {
  [client, contractor] = parties;
});

const sheet = (page: Page) => page.getByRole('dialog');
const details = (page: Page) => page.getByRole('region', { name: 'Details' });
const save = (page: Page) => sheet(page).getByRole('button', { name: 'Save', exact: true }).click();

test('a client edits what a ticket says; faults are told at their fields, and it can be taken back', async () => {
  const [lyon, paris] = await Promise.all(
    ['Lyon depot', 'Paris office'].map(
      async (name) => (await ok(client.api('POST /locations', { name }))).data.location._id as string,
    ),
  );
  const field = (await ok(client.api('POST /custom-fields', { name: { fr: 'Centre', en: 'Cost centre' } }))).data;
  const path = await newTicket(client, { title: 'Leak', location_ids: [lyon], description: 'It drips' });
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  await page.getByRole('button', { name: 'Edit ticket' }).click();
  await expect(sheet(page).getByRole('combobox', { name: 'Managers' })).toBeVisible();
  expect(await accessibilityFaults(page)).toEqual([]);
  await sheet(page).getByRole('textbox', { name: 'Title' }).fill('');
  await save(page);
  await expect(sheet(page).getByRole('textbox', { name: 'Title' })).toHaveAccessibleDescription(/empty/);
  await sheet(page).getByRole('textbox', { name: 'Title' }).fill('Flood');
  await sheet(page).getByRole('combobox', { name: 'Places' }).fill('paris');
  await page.getByRole('option', { name: 'Paris office' }).click();
  await page.keyboard.press('Escape');
  await sheet(page).getByRole('button', { name: 'Remove Lyon depot' }).click();
  await sheet(page).getByRole('textbox', { name: 'Cost centre' }).fill('CC-12');
  await save(page);
  await expect(statusMessage(page, /^Changed: T-/)).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Flood');
  await expect(details(page)).toContainText('Paris office');
  await expect(details(page)).toContainText('CC-12');
  await expect(page.getByRole('list', { name: 'Timeline' })).toContainText('Title, Places, Custom fields');
  const saved = (await ok(client.api(`GET ${path}`))).data;
  expect(saved).toMatchObject({ title: 'Flood', description: 'It drips', locations: [{ _id: paris }] });
  expect(saved.fields).toMatchObject([{ field_id: field.custom_field._id, value: 'CC-12' }]);
  // By its key, which works when the button is gone, too.
  await page.keyboard.press('z');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Leak');
  expect((await ok(client.api(`GET ${path}`))).data).toMatchObject({ locations: [{ _id: lyon }], fields: [] });
});

test('a client says of a new ticket where, what, whose trade, who manages it, and from which price on quotes are marked', async () => {
  const made = async (request: string, kind: string, body: object) =>
    (await ok(client.api(request, body))).data[kind]._id;
  const [location, other, equipment, job, domain] = await Promise.all([
    made('POST /locations', 'location', { name: 'Roof of Metz' }),
    made('POST /locations', 'location', { name: 'Cellar of Metz' }),
    made('POST /equipments', 'equipment', { name: 'Chiller 3' }),
    made('POST /jobs', 'job', { name: 'Refrigeration' }),
    made('POST /domains', 'domain', { name: 'Cold' }),
  ]);
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, '/tickets/new');
  await page.getByRole('textbox', { name: 'Title' }).fill('Chiller is loud');
  const threshold = page.getByRole('textbox', { name: 'Price threshold' });
  await threshold.fill('a lot');
  const choose = async (field: string, option: string) => {
    await page.getByRole('combobox', { name: field }).fill(option.slice(0, 4));
    await page.getByRole('option', { name: option }).click();
    await page.keyboard.press('Escape');
  };
  await choose('Places', 'Roof of Metz');
  // What is chosen by keyboard stays when the field is left.
  await page.keyboard.type('cellar');
  await expect(page.getByRole('option')).toHaveText(['Cellar of Metz']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  // While options are shown, the rest of the page is hidden from those who do not see it.
  const chosen = (name: string) => page.getByRole('button', { name: `Remove ${name}`, includeHidden: true });
  await expect(chosen('Cellar of Metz')).toHaveCount(1);
  await page.keyboard.press('Tab');
  await expect(chosen('Roof of Metz')).toBeFocused();
  await choose('Equipment', 'Chiller 3');
  await choose('Trades', 'Refrigeration');
  await choose('Domains', 'Cold');
  await choose('Managers', 'Ada Martin');
  await choose('Contacts', 'Ada Martin');
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await expect(threshold).toHaveAccessibleDescription(/must be a number/i);
  await threshold.fill('1 200,50');
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Chiller is loud');
  await expect(details(page)).toContainText('€1,200.50');
  await expect(details(page)).toContainText('Refrigeration');
  const path = new URL(page.url()).pathname.replace('/console', '');
  const person = [{ _id: client.userId }];
  expect((await ok(client.api(`GET ${path}`))).data).toMatchObject({
    price_threshold: 1200.5,
    locations: [{ _id: location }, { _id: other }],
    equipments: [{ _id: equipment }],
    jobs: [{ _id: job }],
    domains: [{ _id: domain }],
    managers: person,
    contacts: person,
  });

  const van = await newPage(contractor, phone);
  await open(van, '/tickets/new');
  await expect(van.getByRole('textbox', { name: 'Title' })).toBeVisible();
  await expect(van.getByRole('textbox', { name: 'Price threshold' })).toHaveCount(0);
  await expect(van.getByRole('combobox')).toHaveCount(1);
});

test('of two people who edit at once, the second is told who changed what, and keeps what was entered', async () => {
  const path = await newTicket(client, { title: 'Leak', priority: 'low' });
  const colleague = await newUser(client.companyId, ['tickets']);
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  await page.getByRole('button', { name: 'Edit ticket' }).click();
  await sheet(page).getByRole('textbox', { name: 'Description' }).fill('Second floor, left');
  await ok(colleague.api(`PATCH ${path}`, { title: 'Leak in the roof', priority: 'high' }));
  await ok(client.api(`POST ${path}/qualify`));
  await save(page);
  const told = sheet(page).getByRole('alert');
  await expect(told).toContainText('It has changed in the meantime');
  await expect(told).toContainText('Ada Martin');
  await expect(told).toContainText('Title: “Leak” is now “Leak in the roof”');
  await expect(told).toContainText('Status: “Open” is now “To assign”');
  await expect(sheet(page).getByRole('textbox', { name: 'Title' })).toHaveValue('Leak in the roof');
  await expect(sheet(page).getByRole('textbox', { name: 'Description' })).toHaveValue('Second floor, left');
  expect((await ok(client.api(`GET ${path}`))).data.description).toBeNull();
  await save(page);
  await expect(statusMessage(page, /^Changed: T-/)).toBeVisible();
  expect((await ok(client.api(`GET ${path}`))).data).toMatchObject({
    title: 'Leak in the roof',
    description: 'Second floor, left',
    priority_label: 'high',
    status: 'waiting',
  });
});

test('an order is changed, gets a file that the supplier sees, and is deleted; a faulty amount is told at its field', async () => {
  const path = await newTicket(client, { title: 'Bought' });
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  await ok(client.api(`POST ${path}/purchases`, { kind: 'purchase_order', reference: 'PO-1', amount: 1200 }));
  await ok(client.api(`POST ${path}/purchases`, { kind: 'purchase_request', reference: 'PR-1' }));
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  const purchases = page.getByRole('list', { name: 'Purchases' }).getByRole('listitem');
  await page.getByRole('button', { name: 'Edit PO-1' }).click();
  await expect(sheet(page)).toBeVisible();
  expect(await accessibilityFaults(page)).toEqual([]);
  await sheet(page)
    .getByRole('textbox', { name: /^Amount/ })
    .fill('much');
  await save(page);
  const amount = sheet(page).getByRole('textbox', { name: /^Amount/ });
  await expect(amount).toHaveAccessibleDescription(/number/);
  // It may be either, so nothing is sent.
  await amount.fill('1,350');
  await expect(amount).toHaveAccessibleDescription(/It may be 1,350\.00 or 1\.35/);
  await save(page);
  await expect(amount).toBeFocused();
  await sheet(page)
    .getByRole('textbox', { name: /^Amount/ })
    .fill('1 350,50');
  await save(page);
  await expect(purchases.filter({ hasText: 'PO-1' })).toContainText('€1,350.50');
  await expect(page.getByRole('list', { name: 'Timeline' })).toContainText('Purchase order PO-1');
  await page.getByRole('button', { name: 'Attach file to PO-1' }).click();
  await expect(sheet(page)).toContainText('The supplier of the order sees this file.');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.locator('input[type=file]:not([capture])').setInputFiles(photo);
  await sheet(page).getByRole('button', { name: 'Attach file', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Download PO-1' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Documents' })).toContainText('photo.png');
  const van = await newPage(contractor, phone);
  await open(van, path);
  await expect(van.getByRole('list', { name: 'Purchases' }).getByRole('listitem')).toHaveText([/PO-1/]);
  await expect(van.getByRole('button', { name: 'Download PO-1' })).toBeVisible();
  for (const name of ['Edit PO-1', 'Edit ticket']) await expect(van.getByRole('button', { name })).toHaveCount(0);
  await page.getByRole('button', { name: 'Delete PO-1' }).click();
  const asked = page.getByRole('alertdialog', { name: 'Delete PO-1?' });
  await asked.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Deleted: PO-1' })).toBeVisible();
  await expect(purchases).toHaveText([/PR-1/]);
  await ok(client.api(`PUT ${path}/cancel`, {}));
  await page.reload();
  await expect(badge(page, 'Canceled')).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Edit|Delete) PR-1|^Add purchase/ })).toHaveCount(0);
});

// What one does the other sees, and neither does it a second time.
describe('two people who have the same ticket open', () => {
  let colleague: Member;
  beforeAll(async () => {
    colleague = await newUser(client.companyId, ['tickets']);
  });

  /** How often a visible page reads its data again. */
  const readAgainS = 30;
  const move = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true });
  const timeline = (page: Page) => page.getByRole('list', { name: 'Timeline' });

  /** Opens a ticket with a clock that the test puts forward: nobody waits for half a minute. */
  async function watch(member: Member, path: string): Promise<Page> {
    const page = await newPage(member, { expectedErrors: refusals, isFresh: true });
    await page.clock.install();
    await open(page, path);
    await expect(timeline(page)).toBeVisible();
    return page;
  }

  test('what one does the others see within half a minute, on both sides, without a reload', async () => {
    const path = await newTicket(client);
    await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
    const [other, van] = await Promise.all([watch(colleague, path), watch(contractor, path)]);
    await other.getByRole('textbox', { name: 'Note' }).fill('I was about to say');
    await ok(client.api(`POST ${path}/notes`, { note: 'The key is at the desk', type: 'public' }));
    await ok(client.api(`PUT ${path}/cancel`, { reason_cancel: 'Sold the building' }));
    for (const page of [other, van]) {
      await page.clock.fastForward(readAgainS * 1000);
      await expect(badge(page, 'Canceled')).toBeVisible();
      await expect(timeline(page).getByText('The key is at the desk')).toBeVisible();
      await expect(move(page, 'Cancel ticket')).toHaveCount(0);
    }
    await expect(timeline(other).getByText('Canceled', { exact: true }).first()).toBeVisible();
    // Somebody was writing meanwhile.
    await expect(other.getByRole('textbox', { name: 'Note' })).toHaveValue('I was about to say');
  });

  test('a page that nobody touches reads nothing again, so that its session can end; the next touch reads at once', async () => {
    const path = await newTicket(client);
    const page = await watch(client, path);
    const pending = pendingOf(page);
    await page.clock.fastForward(15 * 60_000);
    await settled(page, pending);
    let asked = 0;
    page.on('request', () => {
      asked += 1;
    });
    await ok(client.api(`POST ${path}/notes`, { note: 'Anybody there?', type: 'public' }));
    await page.clock.fastForward(readAgainS * 1000);
    await settled(page, pending);
    expect(asked).toBe(0);
    await page.mouse.move(10, 10);
    await expect(timeline(page).getByText('Anybody there?')).toBeVisible();
  });

  // A move that another one has made impossible is refused, and the page says so: tickets.test.ts.
  test('two who press the same at once see both that it is done, and it has happened once', async () => {
    const path = await newTicket(client);
    const pages = await Promise.all([client, colleague].map((one) => newPage(one, { expectedErrors: refusals })));
    for (const page of pages) {
      await open(page, path);
      await expect(move(page, 'Qualify')).toBeVisible();
    }
    for (const page of pages) await move(page, 'Qualify').click();
    const confirmed = (page: Page) => page.getByRole('alertdialog').getByRole('button', { name: 'Qualify' });
    await Promise.all(pages.map((page) => confirmed(page).click()));
    for (const page of pages) {
      await expect(badge(page, 'To assign')).toBeVisible();
      await expect(move(page, 'Qualify')).toHaveCount(0);
    }
    const { items } = (await ok(client.api(`GET ${path}/history`))).data;
    expect(items.filter((one: { operation: string }) => one.operation === 'qualify')).toHaveLength(1);
  });
});
