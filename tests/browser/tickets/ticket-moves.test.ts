import { eventually } from '@app/testing';
import type { Locator, Page } from '@playwright/test';
import { consequences, moves as names } from '../../../services/console/src/pages/tickets/moves/move-texts.en.ts';
import { ticketStatuses } from '../../../services/console/src/words/status-words.ts';
import { type Contractor, type Member, newTicket, ok } from '../../e2e/platform.ts';
import { expect, newPage, open } from '../browser.ts';
import { badge, bar, expectMovesOf, press, refusals, statusMessage, useParties } from './ticket-pages.ts';

/**
 * A move of each kind, from the button to the ticket; those of a ticket's usual way, and quotes: tickets.test.ts. Which move asks what:
 * moves.test.ts of the console. That what the API offers can be done, with what it says it needs: moves-shown.int.test.ts of the ticket
 * service.
 */
let client: Member;
let contractor: Contractor;
let pages: Record<Party, Page>;
useParties(async (...parties) => {
  [client, contractor] = parties;
  const [office, van] = await Promise.all(parties.map((one) => newPage(one, { isKept: true })));
  pages = { client: office as Page, contractor: van as Page };
});

type Party = 'client' | 'contractor';
type Status = keyof typeof ticketStatuses;
type Prepare = (path: string) => Promise<unknown>;

const byClient = (line: string, body?: object) => (path: string) => {
  const [method, move] = line.split(' ');
  return ok(client.api(`${method} ${path}/${move}`, body));
};
const byContractor = (line: string, body?: object) => (path: string) => {
  const [method, move] = line.split(' ');
  return ok(contractor.api(`${method} ${path}/${move}`, body));
};
const assign: Prepare = (path) => byClient('POST assign', { contractor_id: contractor.id })(path);
const propose: Prepare = (path) => byClient('POST propose', { contractor_ids: [contractor.id] })(path);
/** Planned for an hour that begins so many hours from now. */
const planned = (category: 'visit' | 'intervention', hours: number) => (path: string) => {
  const at = (more: number) => new Date(Date.now() + (hours + more) * 3_600_000).toISOString();
  return byContractor('POST dates', { category, type: 'planned', start: at(0), end: at(1) })(path);
};

/** How a ticket comes to a status. */
const ways = {
  draft: [],
  opened: [],
  proposed: [propose],
  assigned: [assign],
  visit: [assign, planned('visit', 24)],
  intervention: [assign, planned('intervention', 24)],
  intervention_finish: [assign, planned('intervention', -2)],
  finished: [assign, byClient('PUT finish')],
} satisfies Partial<Record<Status, Prepare[]>>;

/** As that party sees it. */
async function statusOf(path: string, member: Member = client): Promise<Status> {
  return (await ok(member.api(`GET ${path}`))).data.status;
}

async function aTicketIn(status: keyof typeof ways): Promise<string> {
  const path = await newTicket(client, { title: `In ${status}`, ...(status === 'draft' && { draft: true }) });
  for (const step of ways[status]) await step(path);
  // What follows from dates is done by a timer.
  await eventually(async () => expect(await statusOf(path)).toBe(status));
  return path;
}

/** What a form asks for and does not fill in by itself. */
const entered: Partial<Record<keyof typeof names, (form: Locator) => Promise<unknown>>> = {
  decline: (form) => form.getByRole('textbox', { name: 'Reason' }).fill('No crew'),
  async add_extra_quote(form) {
    await form.getByRole('textbox', { name: 'Reference' }).fill('D-2');
    await form.getByRole('textbox', { name: /^Price/ }).fill('20');
  },
};

/**
 * How often the history has the move. It records a late report or an extra quote under the name of
 * any other.
 */
async function countOf(move: keyof typeof names, member: Member, path: string): Promise<number> {
  const operation = move.replace(/_late$|extra_/, '');
  const { items } = (await ok(member.api(`GET ${path}/history`))).data;
  return items.filter((one: { operation: string }) => one.operation === operation).length;
}

const toldOf: Partial<Record<keyof typeof names, string>> = consequences;

type Asks = 'at once' | 'dialog' | 'alertdialog';

test.each<[Party, keyof typeof names, keyof typeof ways, Status, Asks]>([
  ['client', 'submit', 'draft', 'opened', 'at once'],
  ['client', 'remove', 'opened', 'removed', 'alertdialog'],
  ['client', 'reschedule', 'visit', 'toreplan', 'dialog'],
  ['client', 'intervention_not_done', 'intervention_finish', 'toreplan', 'alertdialog'],
  ['client', 'add_extra_quote', 'intervention', 'intervention', 'dialog'],
  ['contractor', 'decline', 'proposed', 'declined', 'dialog'],
  ['contractor', 'intervention_done_late', 'finished', 'finished', 'dialog'],
])('the %s makes the move %s, from %s to %s, and is asked: %s', async (party, move, from, to, asks) => {
  const member = { client, contractor }[party];
  const path = await aTicketIn(from);
  const before = await countOf(move, member, path);
  const page = pages[party];
  await open(page, path);
  await expect(badge(page, ticketStatuses[await statusOf(path, member)].en)).toBeVisible();
  await expectMovesOf(page, member, path);
  const named = { name: new RegExp(`^${names[move]}( |$)`) };
  await bar(page).getByRole('button', named).click();
  if (asks !== 'at once') {
    const asked = page.getByRole(asks);
    await expect(asked).toContainText(toldOf[move] ?? '');
    expect(await countOf(move, member, path)).toBe(before);
    await entered[move]?.(asked);
    await asked.getByRole('button', named).click();
  }
  if (to === 'removed') {
    await expect(statusMessage(page, /^Removed: T-/)).toBeVisible();
    expect(await statusOf(path, member)).toBe(to);
    return;
  }
  await expect(page.getByRole(asks === 'at once' ? 'dialog' : asks)).toHaveCount(0);
  await expect(badge(page, ticketStatuses[to].en)).toBeVisible();
  expect([await statusOf(path, member), await countOf(move, member, path)]).toEqual([to, before + 1]);
  await expectMovesOf(page, member, path);
});

test('hours are those of the account’s time zone, wherever the browser is; an end before the start is told at the end', async () => {
  await ok(client.ts('PUT /auth/preferences', { time_zone: 'Europe/Paris' }));
  const path = await aTicketIn('assigned');
  const page = await newPage(client, { timezoneId: 'UTC', expectedErrors: refusals });
  const preferred = page.waitForResponse(/\/auth\/preferences$/);
  await open(page, path);
  await preferred;
  await expect(badge(page, 'Assigned')).toBeVisible();
  await press(page, 'Plan visit');
  const sheet = page.getByRole('dialog');
  const [start, end] = [sheet.getByLabel('Start', { exact: true }), sheet.getByLabel('End', { exact: true })];
  await start.fill('2032-03-27T09:30');
  await end.fill('2032-03-27T08:30');
  await sheet.getByRole('button', { name: 'Plan visit' }).click();
  await expect(end).toHaveAccessibleDescription(/before start/);
  await expect(end).toBeFocused();
  await expect(start).not.toHaveAccessibleDescription(/before start/);
  await expect(start).toHaveValue('2032-03-27T09:30');
  // In Paris the clock changes between the two: it is an hour ahead of UTC on the first day, and two on the second.
  await end.fill('2032-03-28T09:30');
  await sheet.getByRole('button', { name: 'Plan visit' }).click();
  await expect(badge(page, 'Visit planned')).toBeVisible();
  const { visit_dates: visits } = (await ok(client.api(`GET ${path}/dates`))).data;
  expect(visits).toMatchObject([{ start: '2032-03-27T08:30:00.000Z', end: '2032-03-28T07:30:00.000Z' }]);
  await expect(page.getByRole('list', { name: 'Dates' })).toContainText(/09:30.*09:30/);
});
