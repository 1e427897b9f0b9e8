import { eventually } from '@app/testing';
import type { Locator, Page } from '@playwright/test';
import { moves as names } from '../../../services/console/src/pages/tickets/moves/move-texts.en.ts';
import { ticketStatuses } from '../../../services/console/src/words/status-words.ts';
import { statusMachine } from '../../../services/ticket/tickets/lifecycle/status-machine.ts';
import { type Member, newCompany, newContractorOf, newTicket, ok, pdfForm } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';
import { badge, bar, expectMovesOf, statusMessage } from './ticket-pages.ts';

/** Every status, and the moves that lead from it. */
let client: Member;
let contractor: Member & { id: string };
let pages: Record<Party, Page>;
beforeAll(async () => {
  client = await newCompany('client');
  contractor = await newContractorOf(client);
  const [office, van] = await Promise.all([client, contractor].map((one) => newPage(one, { isKept: true })));
  pages = { client: office as Page, contractor: van as Page };
});
afterEach(closePages);
afterAll(closeBrowser);

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
const quote: Prepare = (path) => ok(contractor.api(`POST ${path}/quotes`, pdfForm({ reference: 'D-1', price: '10' })));
const decide = (decision: 'validate' | 'decline') => async (path: string) => {
  const [one] = (await ok(client.api(`GET ${path}`))).data.quotes;
  await ok(client.api(`PUT ${path}/quotes/${one._id}/${decision}`));
};
/** Planned for an hour that begins so many hours from now. */
const planned = (category: 'visit' | 'intervention', hours: number) => (path: string) => {
  const at = (more: number) => new Date(Date.now() + (hours + more) * 3_600_000).toISOString();
  return byContractor('POST dates', { category, type: 'planned', start: at(0), end: at(1) })(path);
};

/** How a ticket comes to each status. A contractor may open one, too. */
const ways: Record<Exclude<Status, 'removed'> | 'opened_by_contractor', Prepare[]> = {
  draft: [],
  opened: [],
  opened_by_contractor: [],
  waiting: [byClient('POST qualify')],
  proposed: [propose],
  declined: [propose, byContractor('POST decline')],
  waiting_contractor: [propose, byContractor('POST accept')],
  assigned: [assign],
  toplan: [assign, byClient('POST ask-to-plan')],
  waitingplan: [assign, byClient('POST ask-to-plan'), byClient('POST ask-for-date')],
  visit: [assign, planned('visit', 24)],
  visit_devis: [assign, planned('visit', -2)],
  toreplan: [assign, planned('visit', 24), byClient('POST reschedule')],
  validation: [assign, quote],
  validated: [assign, quote, decide('validate')],
  dropped: [assign, quote, decide('decline')],
  intervention: [assign, planned('intervention', 24)],
  intervention_finish: [assign, planned('intervention', -2)],
  finished: [assign, byClient('PUT finish')],
  closed: [assign, byClient('PUT close')],
  canceled: [assign, byClient('PUT cancel')],
};

const memberOf = (party: Party): Member => (party === 'client' ? client : contractor);

/** As that party sees it. */
async function statusOf(path: string, member: Member = client): Promise<Status> {
  return (await ok(member.api(`GET ${path}`))).data.status;
}

async function aTicketIn(status: keyof typeof ways): Promise<string> {
  const title = `In ${status}`;
  if (status === 'opened_by_contractor') return newTicket(contractor, { title, client_id: client.companyId });
  const path = await newTicket(client, { title, ...(status === 'draft' && { draft: true }) });
  for (const step of ways[status]) await step(path);
  // What follows from dates is done by a timer.
  await eventually(async () => expect(await statusOf(path)).toBe(status));
  return path;
}

test.each(Object.keys(ways) as (keyof typeof ways)[])(
  'each party is offered exactly what the API allows while a ticket is %s',
  async (status) => {
    const path = await aTicketIn(status);
    for (const party of ['client', 'contractor'] as const) {
      const member = memberOf(party);
      const seen = await member.api(`GET ${path}`);
      if (seen.status === 404) continue;
      const page = pages[party];
      await open(page, path);
      await expect(badge(page, ticketStatuses[seen.data.status as Status].en)).toBeVisible();
      await expectMovesOf(page, member, path);
    }
  },
);

type Asks = 'at once' | 'dialog' | 'alertdialog';
type Move = [move: keyof typeof names, from: keyof typeof ways, to: Status, asks: Asks];

/**
 * Every move of each party: from which status, to which status as that party sees it, and how the
 * console asks.
 */
const made: Record<Party, Move[]> = {
  client: [
    ['submit', 'draft', 'opened', 'at once'],
    ['qualify', 'opened', 'waiting', 'at once'],
    ['propose', 'opened', 'proposed', 'dialog'],
    ['assign', 'opened', 'assigned', 'dialog'],
    ['unassign', 'assigned', 'waiting', 'alertdialog'],
    ['ask_to_plan', 'assigned', 'toplan', 'at once'],
    ['ask_for_date', 'toplan', 'waitingplan', 'at once'],
    ['plan_visit', 'assigned', 'visit', 'dialog'],
    ['plan_intervention', 'assigned', 'intervention', 'dialog'],
    ['reschedule', 'visit', 'toreplan', 'dialog'],
    ['visit_done', 'visit_devis', 'toplan', 'dialog'],
    ['visit_done_late', 'validation', 'validation', 'dialog'],
    ['visit_not_done', 'visit_devis', 'toreplan', 'alertdialog'],
    ['intervention_done', 'intervention_finish', 'finished', 'dialog'],
    ['intervention_done_late', 'finished', 'finished', 'dialog'],
    ['intervention_not_done', 'intervention_finish', 'toreplan', 'alertdialog'],
    ['add_quote', 'assigned', 'validation', 'dialog'],
    ['add_extra_quote', 'intervention', 'intervention', 'dialog'],
    ['validate_quote', 'validation', 'validated', 'alertdialog'],
    ['decline_quote', 'validation', 'dropped', 'alertdialog'],
    ['finish', 'assigned', 'finished', 'alertdialog'],
    ['close', 'assigned', 'closed', 'alertdialog'],
    ['cancel', 'assigned', 'canceled', 'dialog'],
    ['reopen', 'closed', 'opened', 'at once'],
    ['remove', 'opened', 'removed', 'alertdialog'],
  ],
  contractor: [
    ['accept', 'proposed', 'waiting_contractor', 'at once'],
    ['decline', 'proposed', 'declined', 'dialog'],
    ['take_charge', 'waiting_contractor', 'assigned', 'at once'],
    ['ask_to_plan', 'assigned', 'toplan', 'at once'],
    ['ask_for_date', 'toplan', 'waitingplan', 'at once'],
    ['plan_visit', 'assigned', 'visit', 'dialog'],
    ['plan_intervention', 'proposed', 'intervention', 'dialog'],
    ['reschedule', 'visit', 'toreplan', 'dialog'],
    ['visit_done', 'visit_devis', 'toplan', 'dialog'],
    ['visit_done_late', 'validation', 'validation', 'dialog'],
    ['visit_not_done', 'visit_devis', 'toreplan', 'alertdialog'],
    ['intervention_done', 'intervention_finish', 'finished', 'dialog'],
    ['intervention_done_late', 'finished', 'finished', 'dialog'],
    ['intervention_not_done', 'intervention_finish', 'toreplan', 'alertdialog'],
    ['add_quote', 'assigned', 'validation', 'dialog'],
    ['add_extra_quote', 'finished', 'finished', 'dialog'],
    ['finish', 'assigned', 'finished', 'alertdialog'],
    ['cancel', 'opened_by_contractor', 'canceled', 'dialog'],
    ['reopen', 'closed', 'opened', 'at once'],
  ],
};

/** What a form asks for and does not fill in by itself. */
const entered: Partial<Record<keyof typeof names, (form: Locator) => Promise<unknown>>> = {
  propose: (form) => form.getByRole('checkbox', { name: 'Fixit' }).check({ force: true }),
  async assign(form) {
    await form.getByRole('combobox', { name: 'Contractor' }).fill('Fix');
    await form.page().getByRole('option', { name: 'Fixit' }).click();
  },
  decline: (form) => form.getByRole('textbox', { name: 'Reason' }).fill('No crew'),
  add_quote: quoteIn,
  add_extra_quote: quoteIn,
};

async function quoteIn(form: Locator): Promise<void> {
  await form.getByRole('textbox', { name: 'Reference' }).fill('D-2');
  await form.getByRole('textbox', { name: /^Price/ }).fill('20');
}

/**
 * How often the history has the move. It records a late report or an extra quote under the name of
 * any other.
 */
async function countOf(move: keyof typeof names, member: Member, path: string): Promise<number> {
  const operation = move.replace(/_late$|extra_/, '');
  const { items } = (await ok(member.api(`GET ${path}/history`))).data;
  return items.filter((one: { operation: string }) => one.operation === operation).length;
}

const all = (Object.keys(made) as Party[]).flatMap((party) => made[party].map((move) => [party, ...move] as const));

test.each(all)('the %s makes the move %s, from %s to %s, and is asked: %s', async (party, move, from, to, asks) => {
  const member = memberOf(party);
  const path = await aTicketIn(from);
  const before = await countOf(move, member, path);
  const page = pages[party];
  await open(page, path);
  const named = { name: new RegExp(`^${names[move]}( |$)`) };
  await bar(page).getByRole('button', named).click();
  if (asks !== 'at once') {
    const asked = page.getByRole(asks);
    await expect(asked).toBeVisible();
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

test('these are all moves that a party has', () => {
  // Extra quotes are decided by the moves of any quote, and a ticket is edited in a form.
  const others = ['decide_extra_quote', 'edit'];
  for (const party of ['client', 'contractor'] as const) {
    const possible = Object.entries<object>(statusMachine).filter(([, transition]) => party in transition);
    const moves = possible.map(([operation]) => operation).filter((operation) => !others.includes(operation));
    expect(made[party].map(([move]) => move).sort()).toEqual(moves.sort());
  }
});
