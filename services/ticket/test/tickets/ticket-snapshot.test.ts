import type { TicketAssigned } from '@app/contracts';
import { addDate } from '../../dates/dates.ts';
import { assign, decline, propose, qualify, takeCharge, unassign } from '../../moves/moves.ts';
import { addQuote, validateQuote } from '../../quotes/quotes.ts';
import { addReport } from '../../reports/reports.ts';
import { linkContractor } from '../../tickets/lifecycle/link-contractor.ts';
import type { Decision, Ticket } from '../../tickets/ticket.ts';
import { snapshotEvents, ticketSnapshot } from '../../tickets/ticket-snapshot.ts';
import { aContractor, aDate, aTicket, at, client, clientId, later, worked } from './fixtures.ts';

const contractor = aContractor();
const other = aContractor();
const quote = {
  _id: 'a'.repeat(24),
  reference: 'D-1',
  price: '12.50',
  includes_vat: false,
  file: null,
  contractor_id: null,
};

/** The types of the events that a change from `before` publishes, as the store creates them. */
function publishedBy(before: Ticket, { ticket }: Decision): string[] {
  return snapshotEvents(before, { ...ticket, version: before.version + 1 }).map(({ type }) => type);
}

const assigned = worked('assigned', contractor);
const quoted = addQuote(assigned, client, at, quote).ticket;
const changed = ['ticket.changed.v1'];
const both = ['ticket.changed.v1', 'ticket.assigned.v1'];
const noAccount = worked('assigned', { ...contractor, candidate: { ...contractor.candidate, company_id: '' } });
const unlinked: Ticket = {
  ...noAccount,
  views: noAccount.views.map((view) => (view.role === 'contractor' ? { ...view, company_id: null } : view)),
};
const link = { client_id: clientId, contractor_id: contractor.candidate.id, company_id: contractor.companyId };
const file = { key: 'key', name: 'r.pdf', type: 'application/pdf', size: 12, hash: 'a'.repeat(64) };

const changes: [string, Ticket, (ticket: Ticket) => Decision, string[]][] = [
  ['a move', aTicket(), (ticket) => qualify(ticket, client, at, undefined), changed],
  [
    'a proposal',
    aTicket(),
    (ticket) => propose(ticket, client, at, { contractors: [contractor.candidate], expiresAt: null }),
    changed,
  ],
  ['an assignment', aTicket(), (ticket) => assign(ticket, client, at, { contractor: contractor.candidate }), both],
  ['another contractor', assigned, (ticket) => assign(ticket, client, at, { contractor: other.candidate }), both],
  ['its end', assigned, (ticket) => unassign(ticket, client, at, undefined), both],
  ['a refusal of the contractor', assigned, (ticket) => decline(ticket, contractor.actor, at, { reason: null }), both],
  [
    'a step of the same contractor',
    worked('waiting_contractor', contractor),
    (ticket) => takeCharge(ticket, contractor.actor, at, undefined),
    changed,
  ],
  ['the account of the contractor', unlinked, (ticket) => linkContractor(ticket, link, at), both],
  ['a quote', assigned, (ticket) => addQuote(ticket, contractor.actor, at, quote), changed],
  ['a decision on a quote', quoted, (ticket) => validateQuote(ticket, client, at, quote._id), changed],
  ['a planned intervention', assigned, (ticket) => addDate(ticket, client, at, aDate()), changed],
  [
    'a report, which is no fact of matching',
    assigned,
    (ticket) => addReport(ticket, client, at, { _id: 'b'.repeat(24), file }),
    [],
  ],
  [
    'one more intervention before the last one',
    worked('intervention', contractor, { dates: [{ ...aDate({ start: later }), state: 'planned' }] }),
    (ticket) => addDate(ticket, client, at, aDate({ start: new Date(later.getTime() - 60_000) })),
    [],
  ],
];

test.each(changes)('%s is published as snapshot events of the right types', (_name, before, change, types) => {
  expect(publishedBy(before, change(before))).toEqual(types);
});

test('a new ticket is published, one that a contractor opens with its contractor', () => {
  expect(snapshotEvents(null, aTicket()).map(({ type }) => type)).toEqual(changed);
  const events = snapshotEvents(null, assigned).map(({ data }) => data);
  expect(events[0]).toEqual({ ticket: ticketSnapshot(assigned) });
  expect(events[1]).toEqual({
    ticket_id: assigned._id,
    client_id: clientId,
    version: assigned.version,
    contractor_id: contractor.candidate.id,
    company_id: contractor.companyId,
  } satisfies TicketAssigned);
});

test('the last intervention is the last that took place, else the last planned; visits and canceled ones do not count', () => {
  const day = (days: number) => new Date(at.getTime() + days * 86_400_000);
  const planned = { ...aDate({ start: day(3) }), state: 'planned' as const };
  const rows: [Ticket['dates'], Date | null][] = [
    [[], null],
    [[{ ...aDate({ start: day(9), category: 'visit' }), state: 'planned' }], null],
    [[{ ...aDate({ start: day(9) }), state: 'canceled' }], null],
    [[planned, { ...aDate({ start: day(2) }), state: 'planned' }], day(3)],
    [
      [
        planned,
        { ...aDate({ start: day(1), type: 'actual' }), state: 'done' },
        { ...aDate({ start: day(2), type: 'actual' }), state: 'done' },
      ],
      day(2),
    ],
  ];
  for (const [dates, expected] of rows) {
    expect(ticketSnapshot(aTicket({ dates })).last_intervention_at).toBe(expected?.toISOString() ?? null);
  }
});
