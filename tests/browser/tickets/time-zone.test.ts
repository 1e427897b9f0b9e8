import { newCompany, newContractorOf, newTicket, ok } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';
import { badge, press } from './ticket-pages.ts';

afterEach(closePages);
afterAll(closeBrowser);

test('hours are entered as they are shown: in the time zone of the account, wherever the browser is', async () => {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  await ok(client.ts('PUT /auth/preferences', { time_zone: 'Europe/Paris' }));
  const path = await newTicket(client);
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  const page = await newPage(client, { timezoneId: 'UTC' });
  const preferred = page.waitForResponse(/\/auth\/preferences$/);
  await open(page, path);
  await preferred;
  await expect(badge(page, 'Assigned')).toBeVisible();
  await press(page, 'Plan visit');
  // In Paris the clock changes between the two: it is an hour ahead of UTC on the first day, and two on the second.
  const sheet = page.getByRole('dialog');
  await sheet.getByLabel('Start', { exact: true }).fill('2032-03-27T09:30');
  await sheet.getByLabel('End', { exact: true }).fill('2032-03-28T09:30');
  await sheet.getByRole('button', { name: 'Plan visit' }).click();
  await expect(badge(page, 'Visit planned')).toBeVisible();
  const { visit_dates: visits } = (await ok(client.api(`GET ${path}/dates`))).data;
  expect(visits).toMatchObject([{ start: '2032-03-27T08:30:00.000Z', end: '2032-03-28T07:30:00.000Z' }]);
  await expect(page.getByRole('list', { name: 'Dates' })).toContainText(/09:30.*09:30/);
});
