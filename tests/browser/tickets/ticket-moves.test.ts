import { eventually } from '@app/testing';
import { moves as names } from '../../../services/console/src/pages/tickets/moves/move-texts.en.ts';
import { ticketStatuses } from '../../../services/console/src/words/status-words.ts';
import { type Member, newCompany, newContractorOf, newTicket, ok, pdfForm } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';
import { badge, bar, expectMovesOf, press, said } from './ticket-pages.ts';

/** Every status, and the moves that lead from it. */
let client: Member;
let contractor: Member & { id: string };
beforeAll(async () => {
  client = await newCompany('client');
  contractor = await newContractorOf(client);
});
afterEach(closePages);
afterAll(closeBrowser);

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

/** How a ticket comes to each status. */
const ways: Record<Exclude<Status, 'removed'>, Prepare[]> = {
  draft: [],
  opened: [],
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

const statusOf = async (path: string) => (await ok(client.api(`GET ${path}`))).data.status as Status;

async function aTicketIn(status: keyof typeof ways): Promise<string> {
  const path = await newTicket(client, { title: `In ${status}`, ...(status === 'draft' && { draft: true }) });
  for (const step of ways[status]) await step(path);
  // What follows from dates is done by a timer.
  await eventually(async () => expect(await statusOf(path)).toBe(status));
  return path;
}

test.each(Object.keys(ways) as (keyof typeof ways)[])(
  'each party is offered exactly what the API allows while a ticket is %s',
  async (status) => {
    const path = await aTicketIn(status);
    for (const member of [client, contractor]) {
      const seen = await member.api(`GET ${path}`);
      if (seen.status === 404) continue;
      const page = await newPage(member);
      await open(page, path);
      await expect(badge(page, ticketStatuses[seen.data.status as Status].en)).toBeVisible();
      await expectMovesOf(page, member, path);
    }
  },
);

type Asks = 'at once' | 'dialog' | 'alertdialog';

test.each<[keyof typeof names, keyof typeof ways, Status, Asks]>([
  ['submit', 'draft', 'opened', 'at once'],
  ['qualify', 'opened', 'waiting', 'at once'],
  ['unassign', 'assigned', 'waiting', 'alertdialog'],
  ['ask_to_plan', 'assigned', 'toplan', 'at once'],
  ['ask_for_date', 'toplan', 'waitingplan', 'at once'],
  ['plan_visit', 'assigned', 'visit', 'dialog'],
  ['reschedule', 'visit', 'toreplan', 'dialog'],
  ['visit_done', 'visit_devis', 'toplan', 'dialog'],
  ['visit_not_done', 'visit_devis', 'toreplan', 'alertdialog'],
  ['intervention_not_done', 'intervention_finish', 'toreplan', 'alertdialog'],
  ['decline_quote', 'validation', 'dropped', 'alertdialog'],
  ['finish', 'assigned', 'finished', 'alertdialog'],
  ['close', 'assigned', 'closed', 'alertdialog'],
  ['cancel', 'assigned', 'canceled', 'dialog'],
  ['reopen', 'closed', 'opened', 'at once'],
])('%s leads from %s to %s, and asks: %s', async (move, from, to, asks) => {
  const path = await aTicketIn(from);
  const page = await newPage(client);
  await open(page, path);
  const named = { name: new RegExp(`^${names[move]}( |$)`) };
  await bar(page).getByRole('button', named).click();
  if (asks !== 'at once') {
    const asked = page.getByRole(asks);
    await expect(asked).toBeVisible();
    expect(await statusOf(path)).toBe(from);
    await asked.getByRole('button', named).click();
  }
  await expect(badge(page, ticketStatuses[to].en)).toBeVisible();
  expect(await statusOf(path)).toBe(to);
  await expectMovesOf(page, client, path);
});

test('a contractor declines, and a ticket is removed', async () => {
  const path = await aTicketIn('proposed');
  const van = await newPage(contractor);
  await open(van, path);
  await press(van, 'Decline');
  await van.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('No crew');
  await van.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
  await expect(badge(van, 'Declined')).toBeVisible();
  const office = await newPage(client);
  await open(office, path);
  await press(office, 'Remove');
  await office.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(said(office, /^Removed: T-/)).toBeVisible();
});
