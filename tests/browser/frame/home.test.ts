import type { Page } from '@playwright/test';
import { type Member, newCompany, newContractorOf, newTicket, newUser, ok } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

afterEach(closePages);
afterAll(closeBrowser);

const waiting = (page: Page) => page.getByRole('list', { name: 'Waiting for you' }).getByRole('listitem');

async function newTickets(client: Member, count: number): Promise<string[]> {
  const paths: string[] = [];
  while (paths.length < count) {
    const batch = Math.min(10, count - paths.length);
    paths.push(...(await Promise.all(Array.from({ length: batch }, () => newTicket(client)))));
  }
  return paths;
}

test('what waits is counted, also beyond a hundred, and each leads to its list', async () => {
  const client = await newCompany('client');
  const fixit = await newContractorOf(client);
  const [proposed] = await newTickets(client, 105);
  await ok(client.api(`POST ${proposed}/propose`, { contractor_ids: [fixit.id] }));
  const page = await newPage(client);
  await open(page, '/');
  await expect(waiting(page).filter({ hasText: 'Tickets to assign' })).toHaveText(/^104/);
  await expect(waiting(page).filter({ hasText: 'Invoices to match' })).toHaveText(/^0/);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Tickets to assign' }).click();
  await expect(page).toHaveURL(/\/tickets\?view=to-assign$/);
  await expect(page.getByRole('link', { name: /^To assign/ })).toHaveText('To assign104');
  const van = await newPage(fixit);
  await open(van, '/');
  await expect(waiting(van).first()).toHaveText(/^1Proposals to answer/);
  const accountant = await newPage(await newUser(client.companyId, ['accounting']));
  await open(accountant, '/');
  await expect(waiting(accountant)).toHaveText([/^0Invoices to match/, /^0Invoices in review/]);
});
