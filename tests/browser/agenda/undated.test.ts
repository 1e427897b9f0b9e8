import type { Page } from '@playwright/test';
import { listViewsOf } from '../../../services/console/src/pages/tickets/list-query.ts';
import { aContractor, clientId, user, worked } from '../../../services/ticket/test/tickets/fixtures.ts';
import { availableMoves } from '../../../services/ticket/tickets/lifecycle/available-moves.ts';
import { type Contractor, type Member, newCompany, newContractorOf, newTicket, ok } from '../../e2e/platform.ts';
import { violations } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import { pressOn } from '../keyboard.ts';
import { statusMessage, useParties } from '../tickets/ticket-pages.ts';

let client: Member;
let contractor: Contractor;
useParties((...parties) => {
  [client, contractor] = parties;
});

/** The week begins on Monday the 22nd. */
const week = '/agenda?day=2032-03-24';

type Parties = { client: Member; contractor: { id: string } };

/** A ticket that the contractor has, without a date; its path. */
async function undated(given: object, parties: Parties = { client, contractor }): Promise<string> {
  const path = await newTicket(parties.client, given);
  await ok(parties.client.api(`POST ${path}/assign`, { contractor_id: parties.contractor.id }));
  return path;
}

const waiting = (page: Page, title: string) =>
  page
    .getByRole('list', { name: /^Without a date/ })
    .getByRole('listitem')
    .filter({ hasText: title });
const day = (page: Page, name: string) => page.getByRole('list', { name });
const numberOf = async (path: string) => (await ok(client.api(`GET ${path}`))).data.number as string;
const datesOf = async (path: string) => {
  const { visit_dates, intervention_dates } = (await ok(client.api(`GET ${path}/dates`))).data;
  return [...visit_dates, ...intervention_dates].map(({ category, start, end, state }) => [
    category,
    start,
    end,
    state,
  ]);
};

test('whatever status the tickets without a date have, both parties may plan work from it', () => {
  const statuses = listViewsOf('client').find(([name]) => name === 'to-plan')?.[1] ?? [];
  expect(statuses.length).toBeGreaterThan(0);
  const one = aContractor();
  const parties = [
    { party: 'client', companyId: clientId, user },
    { party: 'contractor', companyId: one.companyId, user },
  ] as const;
  for (const status of statuses)
    for (const party of parties) {
      const moves = availableMoves(worked(status, one), party).map(({ operation }) => operation);
      expect([status, party.party, moves.includes('plan_intervention')]).toEqual([status, party.party, true]);
    }
});

test('a ticket without a date is planned by keyboard, on the shown day: a visit or work, as its moves allow', async () => {
  const path = await undated({ title: 'By keyboard' });
  const page = await newPage(contractor);
  await open(page, week);
  // Further up Tab opens the list of a filter, which hides the rest of the page.
  await page.getByText(/^Without a date/).focus();
  await pressOn(
    page,
    waiting(page, 'By keyboard').getByRole('button', { name: `Plan a date for ${await numberOf(path)}` }),
  );
  const sheet = page.getByRole('dialog');
  await expect(sheet).toHaveAccessibleName(/^Plan work: T-/);
  await expect(sheet.getByLabel('Start')).toHaveValue(/^2032-03-24T(0[89]|1[0-7]):00$/);
  await pressOn(page, sheet.getByRole('button', { name: /What is planned/ }));
  await page.getByRole('option', { name: 'Plan visit' }).press('Enter');
  await expect(sheet).toHaveAccessibleName(/^Plan visit: T-/);
  await sheet.getByLabel('Start').fill('2032-03-25T10:00');
  await pressOn(page, sheet.getByRole('button', { name: 'Plan visit', exact: true }));
  await expect(statusMessage(page, /^Visit planned/)).toBeVisible();
  await expect(day(page, 'Thursday 25 March')).toContainText('By keyboard');
  await expect(waiting(page, 'By keyboard')).toHaveCount(0);
  // Its button is gone: Tab goes on in the page, not at the top of the window.
  await expect(page.getByRole('main')).toBeFocused();
  expect(await datesOf(path)).toEqual([['visit', '2032-03-25T09:00:00.000Z', '2032-03-25T10:00:00.000Z', 'planned']]);
});

test('a ticket without a date is dragged to a day, and its work is planned there', async () => {
  const path = await undated({ title: 'By dragging' });
  const page = await newPage(client);
  await open(page, week);
  await waiting(page, 'By dragging').dragTo(day(page, 'Friday 26 March').locator('..'));
  const sheet = page.getByRole('dialog', { name: /^Plan work/ });
  await expect(sheet.getByLabel('Start')).toHaveValue(/^2032-03-26T/);
  await sheet.getByLabel('Start').fill('2032-03-26T09:00');
  await sheet.getByRole('button', { name: 'Plan work', exact: true }).click();
  await expect(day(page, 'Friday 26 March')).toContainText('By dragging');
  await expect(waiting(page, 'By dragging')).toHaveCount(0);
  expect(await datesOf(path)).toMatchObject([
    ['intervention', '2032-03-26T08:00:00.000Z', expect.any(String), 'planned'],
  ]);
});

test('a ticket that can no longer be planned is not asked for a date: the page says why', async () => {
  const path = await undated({ title: 'Canceled meanwhile' });
  const page = await newPage(contractor);
  await open(page, week);
  const item = waiting(page, 'Canceled meanwhile');
  await expect(item).toBeVisible();
  // The list is not read again before the press.
  await page.route(/\/tickets\?/, () => undefined);
  await ok(client.api(`PUT ${path}/cancel`, {}));
  await item.getByRole('button').click();
  await expect(statusMessage(page, /^No date can be planned for T-\d+ now: the ticket is “Canceled”/)).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('the most urgent comes first; a date is given in the time of the place, here in French and at La Réunion', async () => {
  const member = await newCompany('client');
  const parties = { client: member, contractor: await newContractorOf(member) };
  const policies = [
    ['low', 9],
    ['high', 2],
  ].map(([priority, amount]) => ({ priority, finish: { amount, unit: 'days' } }));
  const openings = [1, 2, 3, 4, 5].map((one) => ({ day: one, from: '08:00', to: '18:00' }));
  const hours = [{ time_zone: 'Indian/Reunion', openings, holidays: null, closed: [] }];
  await ok(member.ts('PUT /clock-settings', { policies, hours }));
  const path = await undated({ title: 'Urgent', priority: 'high' }, parties);
  await undated({ title: 'Calm', priority: 'low' }, parties);
  await undated({ title: 'Whenever', priority: 'none' }, parties);
  const page = await newPage(member, { locale: 'fr-FR' });
  await open(page, week);
  const all = page.getByRole('list', { name: 'Sans date (3)' }).getByRole('listitem');
  await expect(all).toHaveText([/^Échéance.*Urgent/, /^Échéance.*Calm/, /^T-\d+ Whenever/]);
  expect(await violations(page)).toEqual([]);
  await all.first().dragTo(day(page, 'vendredi 26 mars').locator('..'));
  const sheet = page.getByRole('dialog', { name: /^Planifier l’intervention/ });
  await expect(sheet).toContainText(/Heures du lieu\s?: Indian\/Reunion/);
  await sheet.getByLabel('Début').fill('2032-03-26T00:30');
  await sheet.getByRole('button', { name: 'Planifier l’intervention', exact: true }).click();
  // In Paris it is the day before.
  await expect(day(page, 'vendredi 26 mars')).toContainText(/00:30.*01:30.*UTC\+4.*Urgent/);
  await expect(day(page, 'jeudi 25 mars')).not.toContainText('Urgent');
  const [date] = (await ok(member.api(`GET ${path}/dates`))).data.intervention_dates;
  expect(date.start).toBe('2032-03-25T20:30:00.000Z');
});

test('of more than fifty the others are in the list, which a contractor reads for one of its clients', async () => {
  const [one, second] = [await newCompany('client'), await newCompany('client')];
  const worker = await newContractorOf(one);
  const entry = await ok(second.api('POST /contractors', { name: 'Fixit', company_id: worker.companyId }));
  await ok(worker.api(`PUT /clients/requests/${entry.data._id}`));
  const theirs = { client: second, contractor: { id: entry.data._id as string } };
  for (let left = 51; left > 0; left -= 1) await undated({ title: `Many ${left}` }, theirs);
  await undated({ title: 'Elsewhere' }, { client: one, contractor: worker });
  const page = await newPage(worker);
  await open(page, week);
  await expect(page.getByText('Without a date (50+)')).toBeVisible();
  await expect(waiting(page, 'Elsewhere')).toBeVisible();
  const { company } = (await ok(second.ts('GET /auth/session'))).data;
  await page.getByRole('combobox', { name: 'Client' }).fill(company.name);
  await page.getByRole('option', { name: company.name }).click();
  await expect(waiting(page, 'Elsewhere')).toHaveCount(0);
  await expect(waiting(page, 'Many')).toHaveCount(50);
  await page.getByRole('link', { name: 'All tickets to plan' }).click();
  await expect(page).toHaveURL(new RegExp(`/tickets\\?client=${second.companyId}&view=to-plan$`));
  await expect(page.getByRole('table', { name: 'Tickets' }).getByRole('row', { name: /Many/ })).toHaveCount(50);
});

test('on a phone tickets without a date are behind their number, and planned by a button', async () => {
  await undated({ title: 'On a phone, with a long title that does not fit into one line' });
  const page = await newPage(contractor, { viewport: { width: 320, height: 640 } });
  await open(page, week);
  const item = waiting(page, 'On a phone');
  await expect(page.getByText(/^Without a date \(/)).toBeVisible();
  await expect(item).toBeHidden();
  await page.getByText(/^Without a date \(/).click();
  await item.getByRole('button').click();
  const sheet = page.getByRole('dialog');
  await sheet.getByLabel('Start').fill('2032-03-27T08:00');
  await sheet.getByRole('button', { name: 'Plan work', exact: true }).click();
  await expect(page.getByRole('heading', { level: 2, name: /27 Mar/ })).toBeVisible();
  await expect(day(page, 'Saturday 27 March')).toContainText('On a phone');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(await violations(page)).toEqual([]);
});
