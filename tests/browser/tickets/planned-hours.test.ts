import { type Contractor, type Member, newTicket, ok } from '../../e2e/platform.ts';
import { expect, newPage, open } from '../browser.ts';
import { badge, press, refusals, useParties } from './ticket-pages.ts';

/** The hours of visits and work, as they are entered and refused. */
let client: Member;
let contractor: Contractor;
useParties((...parties) => {
  [client, contractor] = parties;
});

test('an end before the start is told at the end', async () => {
  const path = await newTicket(client);
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  await press(page, 'Plan visit');
  const sheet = page.getByRole('dialog');
  const [start, end] = [sheet.getByLabel('Start', { exact: true }), sheet.getByLabel('End', { exact: true })];
  await start.fill('2032-06-02T10:00');
  await end.fill('2032-06-02T09:00');
  await sheet.getByRole('button', { name: 'Plan visit' }).click();
  await expect(end).toHaveAccessibleDescription(/before start/);
  await expect(end).toBeFocused();
  await expect(start).not.toHaveAccessibleDescription(/before start/);
  await expect(start).toHaveValue('2032-06-02T10:00');
  await end.fill('2032-06-02T11:00');
  await sheet.getByRole('button', { name: 'Plan visit' }).click();
  await expect(badge(page, 'Visit planned')).toBeVisible();
});

test('hours are entered as they are shown: in the time zone of the account, wherever the browser is', async () => {
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
