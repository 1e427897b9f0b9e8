import type { Page } from '@playwright/test';
import { type Member, newCompany, newContractorOf, newTicket, newUser, ok } from '../e2e/platform.ts';
import { faultsInAllLooks } from './accessibility.ts';
import { closeBrowser, closePages, expect, newPage, open } from './browser.ts';
import { rows } from './ticket-pages.ts';

let client: Member;
let contractor: Member & { id: string };
beforeAll(async () => {
  client = await newCompany('client');
  contractor = await newContractorOf(client);
});
afterEach(closePages);
afterAll(closeBrowser);

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
  await expect(van.getByRole('combobox')).toHaveCount(0);
});

test('the list is accessible in every look', async () => {
  const page = await newPage(client);
  await open(page, '/tickets');
  await expect(rows(page).first()).toBeVisible();
  expect(await faultsInAllLooks(page)).toEqual([]);
});
