import type { Page } from '@playwright/test';
import {
  type Contractor,
  caller,
  type Member,
  newCompany,
  newContractorOf,
  newTicket,
  ok,
} from '../../e2e/platform.ts';
import { expect, newPage, open } from '../browser.ts';
import { useParties } from '../tickets/ticket-pages.ts';

let client: Member;
let contractor: Contractor;
useParties((...parties) => {
  [client, contractor] = parties;
});

/** A Wednesday, far enough for no timer to come. */
const wednesday = '2032-03-24';
const week = `/agenda?day=${wednesday}`;

/** A ticket with a visit or work on that day, 09:00 in Paris; its path. */
async function planned(title: string, category: 'visit' | 'intervention' = 'intervention'): Promise<string> {
  const path = await newTicket(client, { title });
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  await plan(path, category);
  return path;
}

const plan = (path: string, category: string) => {
  const [start, end] = [`${wednesday}T08:00:00.000Z`, `${wednesday}T09:30:00.000Z`];
  return ok(contractor.api(`POST ${path}/dates`, { category, type: 'planned', start, end }));
};
const day = (page: Page, name: string) => page.getByRole('list', { name });
const entry = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title });
const statesOf = async (path: string) => {
  const { visit_dates, intervention_dates } = (await ok(client.api(`GET ${path}/dates`))).data;
  return [...visit_dates, ...intervention_dates].map(({ start, end, state }) => [start, end, state]);
};
const former = [`${wednesday}T08:00:00.000Z`, `${wednesday}T09:30:00.000Z`, 'canceled'];

test.each(['week', 'month'])('both parties see the date in the %s, and open its ticket from there', async (view) => {
  const path = await planned(`Both ${view}`);
  for (const member of [client, contractor]) {
    const page = await newPage(member);
    await open(page, `${week}&view=${view}`);
    const shown = day(page, 'Wednesday 24 March')
      .getByRole('listitem')
      .filter({ hasText: `Both ${view}` });
    await expect(shown).toContainText('Work');
    await expect(shown).toContainText('09:00–10:30');
    await shown.getByRole('link').click();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
  }
});

test('week and month show what the list of tickets has, on its days; a full day is asked for the rest', async () => {
  const member = await newCompany('client');
  const { id } = await newContractorOf(member);
  // In Paris, where the clocks change on the 28th: the last of a day, and the first of the next.
  const moments = ['2032-03-28T21:59:00Z', '2032-03-28T22:00:00Z', '2032-03-31T08:00:00Z'];
  for (const at of [...Array(6).fill(`${wednesday}T08:00:00Z`), ...moments]) {
    const path = await newTicket(member);
    await ok(member.api(`POST ${path}/assign`, { contractor_id: id }));
    const end = new Date(Date.parse(at) + 60_000).toISOString();
    const category = at === moments[2] ? 'visit' : 'intervention';
    await ok(member.api(`POST ${path}/dates`, { start: at, end, type: 'planned', category }));
  }
  const listed = (await ok(member.api('GET /tickets?limit=50'))).data.tickets as Record<string, string>[];
  const on = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Paris', dateStyle: 'short' });
  const expected = listed.map((ticket) => {
    const [at = ''] = [...(ticket['visit_scheduled_at'] ?? []), ...(ticket['intervention_scheduled_at'] ?? [])];
    return `${on.format(new Date(at))} ${ticket['number']}`;
  });
  const page = await newPage(member);
  const shown = async () => {
    const days = await page.locator('h2 time').all();
    const found = days.map(async (one) => {
      const links = one.locator('xpath=../..').getByRole('listitem').getByRole('link');
      const date = await one.getAttribute('datetime');
      return (await links.allTextContents()).map((text) => `${date} ${text.split(' ')[0]}`);
    });
    return (await Promise.all(found)).flat().sort();
  };
  await open(page, `${week}&view=month`);
  await page.getByRole('button', { name: '2 more' }).click();
  await expect.poll(shown).toEqual(expected.sort());
  await page.getByRole('button', { name: 'Fewer' }).click();
  await expect.poll(shown).toHaveLength(expected.length - 2);
  await open(page, week);
  await expect.poll(shown).toEqual(expected.filter((one) => one < '2032-03-29').sort());
  await page.getByRole('button', { name: 'Later' }).click();
  await expect.poll(shown).toEqual(expected.filter((one) => one >= '2032-03-29').sort());
});

test('a date is moved by keyboard: the former one is canceled, the new one lasts as long', async () => {
  const path = await planned('By keyboard');
  const page = await newPage(contractor);
  await open(page, week);
  await entry(page, 'By keyboard').getByRole('button', { name: /^Move/ }).focus();
  await page.keyboard.press('Enter');
  const start = page.getByRole('dialog').getByLabel('New start');
  await expect(start).toHaveValue(`${wednesday}T09:00`);
  // The clocks change between the two.
  await start.fill('2032-03-29T10:00');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').getByText(/^Date of T-\d+ moved/)).toBeVisible();
  await expect(entry(page, 'By keyboard')).toHaveCount(0);
  expect(await statesOf(path)).toEqual([former, ['2032-03-29T08:00:00.000Z', '2032-03-29T09:30:00.000Z', 'planned']]);
  await page.getByRole('button', { name: 'Later' }).click();
  await expect(day(page, 'Monday 29 March')).toContainText('By keyboard');
});

test('a date is moved by dragging it to another day', async () => {
  const path = await planned('By dragging');
  const page = await newPage(client);
  await open(page, week);
  await entry(page, 'By dragging').dragTo(day(page, 'Friday 26 March').locator('..'));
  const sheet = page.getByRole('dialog');
  await expect(sheet.getByLabel('New start')).toHaveValue('2032-03-26T09:00');
  await sheet.getByRole('button', { name: 'Move' }).click();
  await expect(day(page, 'Friday 26 March')).toContainText('By dragging');
  expect(await statesOf(path)).toEqual([former, ['2032-03-26T08:00:00.000Z', '2032-03-26T09:30:00.000Z', 'planned']]);
});

test('what the moves of a ticket forbid can be dropped nowhere, and the page says why', async () => {
  const path = await planned('Forbidden', 'visit');
  // No visit is planned any more once work is.
  await plan(path, 'intervention');
  const page = await newPage(client);
  await open(page, week);
  const visit = entry(page, 'Forbidden').filter({ hasText: 'Visit' });
  await visit.dragTo(day(page, 'Friday 26 March').locator('..'));
  const why = page.getByRole('status').getByText(/cannot be moved: the ticket is “Work planned”/);
  await expect(why).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect((await statesOf(path)).map(([, , state]) => state)).toEqual(['planned', 'planned']);
});

test('a phone shows the days that have something, one below the other, and nothing is cut off', async () => {
  await planned('On a phone');
  const page = await newPage(contractor, { viewport: { width: 320, height: 640 } });
  await open(page, week);
  await expect(entry(page, 'On a phone')).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: /24 Mar/ })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: /25 Mar/ })).toBeHidden();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

test('what was done is told apart by words', async () => {
  const path = await planned('Was done');
  const [start, end] = [`${wednesday}T08:15:00.000Z`, `${wednesday}T09:00:00.000Z`];
  await ok(contractor.api(`POST ${path}/dates`, { type: 'actual', start, end }));
  const page = await newPage(client);
  await open(page, week);
  await expect(entry(page, 'Was done')).toContainText('Work done');
  await expect(entry(page, 'Was done').getByRole('button')).toHaveCount(0);
});

test('the address for calendar programs is made, shown once, read without a session, and ended', async () => {
  const page = await newPage(client);
  await open(page, '/account');
  const part = page.getByRole('region', { name: 'Your agenda in a calendar program' });
  await part.getByRole('button', { name: 'Make an address' }).click();
  const dialog = page.getByRole('dialog');
  const address = /https?:\S+\.ics\?language=en/.exec((await dialog.textContent()) ?? '')?.[0] ?? '';
  await dialog.getByRole('checkbox').check({ force: true });
  await dialog.getByRole('button', { name: 'Done' }).click();
  const { origin } = new URL(address);
  const read = () => caller(origin)(`GET ${address.slice(origin.length)}`);
  const { status, headers, data } = await read();
  expect([status, headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
  expect(data).toMatch(/^BEGIN:VCALENDAR/);
  await part.getByRole('button', { name: 'End the address' }).click();
  await expect(part.getByRole('button', { name: 'Make an address' })).toBeVisible();
  await expect.poll(async () => (await read()).status).toBe(404);
});
