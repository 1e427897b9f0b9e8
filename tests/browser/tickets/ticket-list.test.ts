import type { Page, Route } from '@playwright/test';
import {
  type Contractor,
  type Member,
  newCompany,
  newContractorOf,
  newTicket,
  newUser,
  ok,
  pdfForm,
} from '../../e2e/platform.ts';
import { accessibilityFaults, violations } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import { phone, refusals, rows, statusMessage, useParties } from './ticket-pages.ts';

let client: Member;
let contractor: Contractor;
useParties((...parties) => {
  [client, contractor] = parties;
});

async function choose(page: Page, filter: string, typed: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: filter }).fill(typed);
  await page.getByRole('option', { name: option }).click();
}

test('contractor, place and manager filter the list, from the address and with what else does', async () => {
  const lyon = (await ok(client.api('POST /locations', { name: 'Lyon warehouse' }))).data.location._id;
  const manager = await newUser(client.companyId, ['tickets']);
  const assigned = await newTicket(client, { title: 'Assigned in Lyon', location_ids: [lyon] });
  await ok(client.api(`POST ${assigned}/assign`, { contractor_id: contractor.id }));
  await newTicket(client, { title: 'Managed in Lyon', location_ids: [lyon], manager_ids: [manager.userId] });
  await newTicket(client, { title: 'Nowhere' });
  const page = await newPage(client);
  await open(page, '/tickets');
  await expect(rows(page)).toHaveText([/Number/, /Nowhere/, /Managed in Lyon/, /Assigned in Lyon/]);
  await choose(page, 'Place', 'lyon', 'Lyon warehouse');
  await expect(rows(page)).toHaveText([/Number/, /Managed in Lyon/, /Assigned in Lyon/]);
  await choose(page, 'Contractor', 'fix', 'Fixit');
  await expect(rows(page)).toHaveText([/Number/, /Assigned in Lyon/]);
  await expect(page).toHaveURL(new RegExp(`place=${lyon}&contractor=${contractor.id}`));
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Contractor' })).toHaveValue('Fixit');
  await expect(rows(page)).toHaveText([/Number/, /Assigned in Lyon/]);
  await page.goBack();
  await expect(page.getByRole('combobox', { name: 'Contractor' })).toHaveValue('');
  await expect(rows(page)).toHaveText([/Number/, /Managed in Lyon/, /Assigned in Lyon/]);
  await page.getByRole('combobox', { name: 'Manager' }).fill('Ada');
  await page.getByRole('option', { name: manager.email }).click();
  await expect(rows(page)).toHaveText([/Number/, /Managed in Lyon/]);
  await page.getByRole('combobox', { name: 'Place' }).fill('');
  await page.getByRole('combobox', { name: 'Place' }).blur();
  await expect(page).not.toHaveURL(/place=/);
  const van = await newPage(contractor);
  await open(van, `/tickets?place=${lyon}&contractor=${contractor.id}`);
  await expect(rows(van)).toHaveText([/Number/, /Assigned in Lyon/]);
  await expect(van.getByRole('combobox')).toHaveCount(1);
  await expect(van.getByRole('combobox', { name: 'Client' })).toHaveValue('');
});

test('dates, equipment and the amount of quotes filter the list, in a dialog; a place finds what is below it', async () => {
  const site = (await ok(client.api('POST /locations', { name: 'Nantes site' }))).data.location._id;
  const room = (await ok(client.api('POST /locations', { name: 'Boiler room', parent_id: site }))).data.location._id;
  const boiler = (await ok(client.api('POST /equipments', { name: 'Boiler 7' }))).data.equipment._id;
  const repaired = await newTicket(client, { title: 'Repaired boiler', location_ids: [room], equipment_ids: [boiler] });
  await newTicket(client, { title: 'Elsewhere on the site', location_ids: [site] });
  await ok(client.api(`POST ${repaired}/assign`, { contractor_id: contractor.id }));
  await ok(contractor.api(`POST ${repaired}/quotes`, pdfForm({ reference: 'Q-7', price: '750.00' })));
  const date = { start: '2026-03-02T23:30:00Z', end: '2026-03-03T01:00:00Z', type: 'planned' };
  await ok(client.api(`POST ${repaired}/dates`, date));
  const page = await newPage(client);
  await open(page, '/tickets');
  await choose(page, 'Place', 'nantes', 'Nantes site');
  await expect(rows(page)).toHaveText([/Number/, /Elsewhere on the site/, /Repaired boiler/]);
  await page.getByRole('button', { name: 'More filters' }).click();
  const dialog = page.getByRole('dialog', { name: 'More filters' });
  await dialog.getByRole('combobox', { name: 'Equipment' }).fill('boiler 7');
  await page.getByRole('option', { name: 'Boiler 7' }).click();
  // In Paris it begins on the third.
  await dialog.getByLabel('Work from').fill('2026-03-03');
  await dialog.getByLabel('Quote from').fill('700,50');
  await dialog.getByLabel('Quote up to').fill('750');
  await dialog.getByRole('button', { name: 'Show', exact: true }).press('Enter');
  await expect(rows(page)).toHaveText([/Number/, /Repaired boiler/]);
  await expect(page).toHaveURL(/work_from=2026-03-03&quote_from=700.50&quote_to=750/);
  await page.reload();
  await page.getByRole('button', { name: 'More filters (4)' }).click();
  await expect(dialog.getByRole('combobox', { name: 'Equipment' })).toHaveValue('Boiler 7');
  await dialog.getByLabel('Work from').fill('2026-03-04');
  await dialog.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No ticket matches these filters' })).toBeVisible();
  const van = await newPage(contractor);
  await open(van, '/tickets?work_from=2030-01-01&quote_from=1');
  await expect(rows(van)).not.toHaveCount(0);
});

test('a view is shared in the company, changed by who saved it, and shown first to who wants it', async () => {
  const member = await newCompany('client');
  const colleague = await newUser(member.companyId, ['tickets']);
  await newTicket(member, { title: 'Urgent', priority: 'high' });
  await newTicket(member, { title: 'Some day' });
  const page = await newPage(member);
  await open(page, '/tickets?priority=high');
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('First of all');
  await page.getByRole('checkbox', { name: 'Share with the company' }).press('Space');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('link', { name: 'First of all' })).toHaveAttribute('aria-current', 'page');
  const theirs = await newPage(colleague, { viewport: { width: 320, height: 640 } });
  await open(theirs, '/tickets');
  await theirs.getByRole('link', { name: 'First of all (shared)' }).click();
  await expect(rows(theirs)).toHaveText([/Number/, /Urgent/]);
  await theirs.getByRole('button', { name: 'Saved view' }).press('Enter');
  await expect(theirs.getByRole('menuitem')).toHaveText(['Show it first']);
  await theirs.getByRole('menuitem', { name: 'Show it first' }).press('Enter');
  await theirs.getByRole('button', { name: 'Saved view' }).click();
  await expect(theirs.getByRole('menuitem', { name: 'Show all first' })).toBeVisible();
  expect(await violations(theirs)).toEqual([]);
  await open(theirs, '/tickets');
  await expect(theirs).toHaveURL(/tickets\?priority=high$/);
  await expect(rows(theirs)).toHaveText([/Number/, /Urgent/]);
  await theirs.getByRole('link', { name: 'All', exact: true }).click();
  await expect(rows(theirs)).toHaveText([/Number/, /Some day/, /Urgent/]);
  await page.getByRole('button', { name: 'Saved view' }).click();
  await page.getByRole('menuitem', { name: 'Remove view' }).click();
  await expect(statusMessage(page, 'View removed: First of all')).toBeVisible();
  await open(theirs, '/tickets');
  await expect(rows(theirs)).toHaveText([/Number/, /Some day/, /Urgent/]);
  await expect(theirs.getByRole('link', { name: /First of all/ })).toHaveCount(0);
});

test('a search that the API does not take is told, and shows no list as if it were found', async () => {
  const page = await newPage(client);
  await open(page, '/tickets');
  await expect(rows(page).nth(1)).toBeVisible();
  const search = page.getByRole('searchbox', { name: 'Search tickets' });
  await search.fill('one two three four five six seven eight nine ten eleven twelve');
  await expect(page.getByRole('heading', { name: 'Search for 1 to 10 words of letters or digits' })).toBeVisible();
  await expect(rows(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(search).toHaveValue('');
  await expect(rows(page).nth(1)).toBeVisible();
});

test('a visit that waits to be confirmed shows its date', async () => {
  const path = await newTicket(client, { title: 'Visited' });
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  const visit = { start: '2026-03-02T09:00:00Z', end: '2026-03-02T10:00:00Z', type: 'planned', category: 'visit' };
  await ok(client.api(`POST ${path}/dates`, visit));
  const page = await newPage(client);
  await open(page, '/tickets?q=Visited');
  await expect(rows(page).nth(1)).toContainText('2 Mar');
});

test('on a phone the filters are behind a button, which counts those that are set', async () => {
  const van = await newPage(contractor, phone);
  await open(van, '/tickets?view=to-plan&status=assigned');
  const button = van.getByRole('button', { name: 'Filters (1)' });
  await expect(button).toHaveAttribute('aria-expanded', 'false');
  await expect(van.getByRole('button', { name: /Priority/ })).toHaveCount(0);
  await button.click();
  await expect(van.getByRole('button', { name: /Priority/ })).toBeVisible();
  await expect(van.getByRole('searchbox')).toBeVisible();
  expect(await violations(van)).toEqual([]);
});

test('j and k go through the rows, Enter opens one, and from it on through the same list and back', async () => {
  const member = await newCompany('client');
  const [first, second, third] = await Promise.all(
    ['high', 'low', 'high'].map((priority) => newTicket(member, { title: `Of ${priority}`, priority })),
  );
  await newTicket(member, { title: 'The newest', priority: 'high' });
  const page = await newPage(member);
  const heading = page.getByRole('heading', { level: 1 });
  await open(page, '/tickets?priority=high');
  await expect(rows(page)).toHaveCount(4);
  const numbers = (await rows(page).getByRole('link').allTextContents()) as [string, string, string];
  // The help has the keys of the page that is shown.
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await page.keyboard.press('?');
  await expect(help).toContainText('Next and previous row');
  await expect(help.getByText('Back', { exact: true })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
  await expect(heading).toContainText(numbers[1]);
  // The link is gone with its list: Tab goes on in the ticket, not at the top of the window.
  await expect(page.getByRole('main')).toBeFocused();
  expect([first, third].map((path) => `/console${path}`)).toContain(new URL(page.url()).pathname);
  await page.keyboard.press('j');
  await expect(heading).toContainText(numbers[2]);
  await expect(page.getByRole('link', { name: 'Next', exact: true })).toHaveAttribute('aria-disabled', 'true');
  await page.reload();
  await page.getByRole('link', { name: 'Previous', exact: true }).click();
  await expect(heading).toContainText(numbers[1]);
  // It leaves the list: what took its place comes next.
  await ok(member.api(`PATCH ${new URL(page.url()).pathname.replace('/console', '')}`, { priority: 'low' }));
  await page.getByRole('button', { name: 'Qualify' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Qualify' }).click();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 }).getByText('To assign')).toBeVisible();
  await page.keyboard.press('j');
  await expect(heading).toContainText(numbers[2]);
  await page.keyboard.press('?');
  await expect(help.getByText('Previous', { exact: true })).toBeVisible();
  await expect(help.getByText('Back', { exact: true })).toBeVisible();
  await expect(help).not.toContainText('Next and previous row');
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/tickets\?priority=high$/);
  await expect(page.getByRole('link', { name: numbers[2] })).toBeFocused();
  await open(page, second as string);
  await expect(heading).toContainText('Of low');
  await expect(page.getByRole('link', { name: 'Next', exact: true })).toHaveCount(0);
});

const assigned = async (member: Member, path: string): Promise<number> => {
  const { data } = await ok(member.api(`GET ${path}/history`));
  return data.items.filter(({ operation }: { operation: string }) => operation === 'assign').length;
};

/**
 * Handles the first request alone. With `times: 1` Playwright would stop intercepting once all such routes have begun, and let go of
 * those that are still handled.
 */
function theFirst(handle: (route: Route) => Promise<void>): (route: Route) => Promise<void> {
  let isFirst = true;
  return (route) => {
    const handled = isFirst ? handle(route) : route.continue();
    isFirst = false;
    return handled;
  };
}

test('several tickets are assigned at once: what can not be is told, failures stay selected, nothing is done twice', async () => {
  const member = await newCompany('client');
  const fixit = await newContractorOf(member);
  const [plain, changed, lost, closed] = (await Promise.all(
    ['Plain', 'Changed', 'Lost', 'Closed'].map((title) => newTicket(member, { title })),
  )) as [string, string, string, string];
  await ok(member.api(`PUT ${closed}/close`, {}));
  const numberOf = async (path: string): Promise<string> => (await ok(member.api(`GET ${path}`))).data.number;
  const page = await newPage(member, { expectedErrors: new RegExp(`${refusals.source}|ERR_FAILED`) });
  await open(page, '/tickets');
  await page.getByRole('checkbox', { name: 'Select all' }).check({ force: true });
  const group = page.getByRole('group', { name: 'Selected tickets' });
  await expect(group).toContainText('4 selected');
  await group.getByRole('button', { name: 'Assign' }).click();
  const sheet = page.getByRole('dialog', { name: 'Assign the selected tickets' });
  const go = (count: string) => sheet.getByRole('button', { name: `Assign ${count}`, exact: true }).click();
  await expect(sheet.getByRole('list', { name: 'Not possible' })).toHaveText(`${await numberOf(closed)}: Closed`);
  await go('3 tickets');
  await expect(sheet.getByRole('combobox', { name: 'Contractor' })).toHaveAccessibleDescription(/required/);
  // Between the console's reading and its request, whatever else it reads meanwhile.
  await page.route(
    `**${changed}/assign`,
    theFirst(async (route) => {
      await ok(member.api(`PATCH ${changed}`, { priority: 'high' }));
      await route.continue();
    }),
  );
  // It is done, and the answer gets lost.
  await page.route(
    `**${lost}/assign`,
    theFirst(async (route) => {
      await route.fetch();
      await route.abort();
    }),
  );
  await sheet.getByRole('combobox', { name: 'Contractor' }).fill('Fix');
  await page.getByRole('option', { name: 'Fixit' }).click();
  await go('3 tickets');
  await expect(sheet.getByRole('status').getByText('1 ticket assigned')).toBeVisible();
  const failed = sheet.getByRole('list', { name: 'Not done' }).getByRole('listitem');
  await expect(failed).toHaveCount(2);
  await expect(failed.filter({ hasText: await numberOf(lost) })).toContainText('does not answer');
  await expect(failed.filter({ hasText: await numberOf(changed) })).toContainText(/changed in the meantime/);
  expect(await assigned(member, changed)).toBe(0);
  const again = page.waitForResponse((answer) => answer.url().endsWith(`${lost}/assign`));
  await go('2 tickets');
  expect((await again).headers()['idempotent-replayed']).toBe('true');
  await expect(statusMessage(page, '2 tickets assigned')).toBeVisible();
  await expect(sheet).toHaveCount(0);
  for (const path of [plain, changed, lost]) expect(await assigned(member, path)).toBe(1);
  await expect(group).toContainText('1 selected');
  await expect(page.getByRole('checkbox', { name: `Select ${await numberOf(closed)}` })).toBeChecked();
  await group.getByRole('button', { name: 'Clear selection' }).click();
  await expect(group).toHaveCount(0);
  const van = await newPage(fixit);
  await open(van, '/tickets');
  await expect(rows(van)).toHaveCount(4);
  await expect(van.getByRole('checkbox')).toHaveCount(0);
});

test('several tickets are closed at once, once it is said what follows; the selection and its sheets are accessible', async () => {
  const member = await newCompany('client');
  await newContractorOf(member);
  const paths = await Promise.all(['One', 'Other'].map((title) => newTicket(member, { title })));
  const page = await newPage(member);
  await open(page, '/tickets');
  await page.getByRole('checkbox', { name: 'Select all' }).check({ force: true });
  expect(await accessibilityFaults(page)).toEqual([]);
  const group = page.getByRole('group', { name: 'Selected tickets' });
  await group.getByRole('button', { name: 'Propose' }).click();
  await expect(page.getByRole('checkbox', { name: 'Fixit' })).toBeVisible();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await group.getByRole('button', { name: 'Close' }).click();
  const sheet = page.getByRole('dialog', { name: 'Close the selected tickets' });
  await expect(sheet).toContainText('Reopened, each will be “Open”, whatever it is now.');
  await sheet.getByRole('button', { name: 'Close 2 tickets' }).click();
  await expect(statusMessage(page, '2 tickets closed')).toBeVisible();
  for (const path of paths) expect((await ok(member.api(`GET ${path}`))).data.status).toBe('closed');
});
