import {
  allStatuses,
  type FeedbackRequested,
  type InvoiceLineSnapshot,
  invoiceFeedbackRequested,
  noDetails,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { applyFeedbackResult, requestFeedback, requestStatus } from '../../feedback/feedback.ts';
import { sendableOf } from '../../feedback/statuses.ts';
import { deletedAtProvider, effectOf, updateLinked } from '../../intake/refetch.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import * as ticketLink from '../../matching/ticket-link.ts';
import { type TicketTarget, ticketSlotClaim } from '../../matching/ticket-target.ts';
import { aFetchedInvoice, anInvoice, at, canonical } from '../invoices.ts';

const later = new Date(at.getTime() + 60_000);
const ticket = { id: newId(), number: 'T-1' };
const target: TicketTarget = {
  ticket,
  view: { id: newId(), contractor_id: newId() },
  claim: `t:${ticket.id}:1`,
  accountClaims: ['a:supplier'],
  heard: allStatuses,
  po_ref: 'BC-1',
};
const by = { id: newId(), name: 'Ada Martin' };
const link = (invoice: Invoice, to: TicketTarget, when: Date) => ticketLink.link(invoice, to, { at: when, by });
const unlink = (invoice: Invoice, rematchAt: Date, when: Date) =>
  ticketLink.unlink(invoice, rematchAt, { at: when, by });
const types = ({ events }: { events: { type: string }[] }) => events.map(({ type }) => type);

/** After the provider has answered the last feedback, or that of an earlier state. */
const answered = (invoice: Invoice, result: 'sent' | 'failed', { feedback } = invoice) => {
  const { client_id } = invoice;
  const feedbackResult = { link_version: feedback?.version ?? 0, outcome: feedback?.outcome ?? 'reversed', result };
  return applyFeedbackResult(
    invoice,
    { invoice_id: invoice._id, client_id, ...feedbackResult, refused: false, reason: null, at: at.toISOString() },
    at,
  );
};

const asked = [invoiceFeedbackRequested.type];
const queued = anInvoice({ state: 'ticket_unmatched' });
const linked = link(queued, target, at).invoice;

test('a link by hand adds the line, requests feedback and confirms supplier and IBAN', () => {
  const iban = 'FR7630006000011234567890189';
  const before = anInvoice({
    state: 'ticket_unmatched',
    canonical: { ...canonical, supplier: { ...canonical.supplier, accounts: [iban, 'X1'] } },
  });
  const after = link(before, target, at);
  expect(after.invoice).toMatchObject({
    state: 'feedback_pending',
    ticket_id: ticket.id,
    supplier_id: target.view.contractor_id,
    confirmed_accounts: `${iban}\nX1`,
    line_version: 1,
    link_version: 1,
    claims: [target.claim, 'a:supplier'],
  });
  expect(types(after)).toEqual([
    'invoice.state_changed.v1',
    'invoice.line_changed.v1',
    'invoice.state_changed.v1',
    'invoice.feedback_requested.v1',
  ]);
});

test('a link to the same view changes nothing; another view moves the line and requests feedback again', () => {
  expect(link(linked, target, later)).toEqual({ invoice: linked, events: [] });
  const other = { ...target, ticket: { id: newId(), number: 'T-2' }, claim: 't:other:1' };
  const moved = link(linked, other, later).invoice;
  expect(moved).toMatchObject({
    ticket_id: other.ticket.id,
    line_version: 2,
    link_version: 2,
    claims: ['t:other:1', 'a:supplier'],
    line_added_at: later,
  });
});

test('the line says who put it where it is, or took it away, and when; nobody, if matching did', () => {
  const moves = ({ events }: { events: { type: string; data: unknown }[] }) =>
    events
      .filter(({ type }) => type === 'invoice.line_changed.v1')
      .map(({ data }) => data as InvoiceLineSnapshot)
      .map(({ line, moved_at, moved_by }) => [line?.added_at, moved_at, moved_by]);
  const [now, then] = [at, later].map((time) => time.toISOString());
  expect(moves(link(queued, target, at))).toEqual([[now, now, by.id]]);
  expect(moves(unlink(linked, later, later))).toEqual([[undefined, then, by.id]]);
  expect(moves(ticketLink.undoLink(linked, later, { at: later, by }))).toEqual([[undefined, then, by.id]]);
  const found = { ...target, reason: 'number', signals: [], set: {} };
  expect(moves(ticketLink.match(anInvoice({ state: 'supplier_matched' }), found, at))).toEqual([[now, now, null]]);
});

test('a link from review acknowledges the reasons, one from the queue nothing', () => {
  const review = anInvoice({ state: 'manual_review', reasons: ['duplicate_suspected'] });
  expect(link(review, target, at).invoice).toMatchObject({ acknowledged: ['duplicate_suspected'], reasons: [] });
  const waiting = anInvoice({ state: 'ticket_unmatched', reasons: ['one ticket, score 40'] });
  expect(link(waiting, target, at).invoice.acknowledged).toEqual([]);
});

test('feedback requested before an unlink is reversed once, whenever its result comes', () => {
  const first = answered(linked, 'sent');
  expect(first.invoice).toMatchObject({ state: 'done', feedback: { result: 'sent' } });
  expect(answered(first.invoice, 'sent').events).toEqual([]);
  const unlinked = unlink(first.invoice, later, at);
  expect(unlinked.invoice).toMatchObject({
    state: 'ticket_unmatched',
    ticket_id: null,
    claims: [],
    refused_tickets: [ticket.id],
    link_version: 2,
  });
  expect(types(unlinked).filter((type) => type === 'invoice.feedback_requested.v1')).toHaveLength(1);
  // Unlinked while the request was under way.
  const early = unlink(linked, later, at);
  expect(types(early)).not.toContain('invoice.feedback_requested.v1');
  const late = answered(early.invoice, 'sent', linked);
  expect(late.events).toMatchObject([{ data: { outcome: 'reversed', link_version: 2, ticket: { id: ticket.id } } }]);
  expect(late.invoice.state).toBe('ticket_unmatched');
});

describe('an invoice that moves from ticket to ticket', () => {
  const on = (number: string): TicketTarget => ({ ...target, ticket: { id: newId(), number }, claim: `t:${number}:1` });
  const [one, two, three] = [on('T-1'), on('T-2'), on('T-3')];
  const asked = ({ events }: { events: { type: string; data: unknown }[] }) =>
    events.filter(({ type }) => type === 'invoice.feedback_requested.v1').map(({ data }) => data as FeedbackRequested);
  const before = (decision: Parameters<typeof asked>[0]) =>
    asked(decision).map(({ earlier_links }) => earlier_links?.map(({ ticket }) => ticket.number));
  const first = link(queued, one, at).invoice;

  test('feedback names the link that the new one replaces', () => {
    const moved = link(answered(first, 'sent').invoice, two, at);
    expect(asked(moved)).toMatchObject([
      { ticket: two.ticket, earlier_links: [{ ticket: one.ticket, po_ref: 'BC-1' }] },
    ]);
    // If it was accepted, the provider has only this link; if not, it may have any of them.
    expect(before(link(answered(moved.invoice, 'sent').invoice, three, at))).toEqual([['T-2']]);
    expect(before(link(answered(moved.invoice, 'failed').invoice, three, at))).toEqual([['T-1', 'T-2']]);
    expect(before(link(link(moved.invoice, three, at).invoice, two, at))).toEqual([['T-1', 'T-3']]);
  });

  test('every ticket that it left is known, the last one last', () => {
    const moved = link(link(link(first, two, at).invoice, one, at).invoice, three, at).invoice;
    expect(moved.former_tickets).toEqual([two.ticket.id, one.ticket.id]);
    expect(unlink(moved, later, at).invoice.former_tickets).toEqual([two, one, three].map(({ ticket: { id } }) => id));
  });

  test('the first link, and the first one after a reversal, replace none', () => {
    expect(first.feedback?.earlier_links).toEqual([]);
    const unlinked = unlink(answered(first, 'sent').invoice, later, at).invoice;
    expect(before(link(answered(unlinked, 'sent').invoice, two, at))).toEqual([[]]);
    expect(before(link(answered(unlinked, 'failed').invoice, two, at))).toEqual([['T-1']]);
  });

  test('an unlink after a refused move reverses the feedback that the provider had accepted before', () => {
    const refused = answered(link(answered(first, 'sent').invoice, two, at).invoice, 'failed').invoice;
    const unlinked = unlink(refused, later, at);
    expect(asked(unlinked)).toMatchObject([{ outcome: 'reversed', earlier_links: [{ ticket: one.ticket }] }]);
    expect(asked(unlink(answered(first, 'failed').invoice, later, at))).toEqual([]);
  });
});

test('refused feedback leaves the link, and only a resync requests it again', () => {
  const { invoice } = answered(linked, 'failed');
  expect(invoice).toMatchObject({
    state: 'error',
    ticket_id: ticket.id,
    due_at: null,
    failure: { step: 'feedback', from: 'linked' },
  });
  const again = aFetchedInvoice({
    resync: true,
    content: { ...invoice.content, fetched_at: later, sequence: later.getTime() },
  });
  expect(effectOf(invoice, again)).toBe('ask_again');
  expect(effectOf(invoice, { ...again, resync: false })).toBe('same');
});

test('a changed number of a linked invoice is shown on its line, without a person', () => {
  const after = updateLinked(
    linked,
    { fetched: aFetchedInvoice(), canonical: { ...canonical, number: 'FA-2' } },
    later,
  );
  expect(after.invoice).toMatchObject({ state: 'feedback_pending', line_version: 2 });
  expect(after.events).toMatchObject([{ data: { version: 2, line: { reference: 'FA-2' } } }]);
});

test('a deletion by the provider: review without a ticket, a flag with one, nothing if newer content came since', () => {
  const asked = { at: later, sequence: later.getTime() };
  expect(deletedAtProvider(queued, asked, later).invoice).toMatchObject({
    state: 'manual_review',
    reasons: ['provider_status'],
    provider_status: 'deleted',
  });
  expect(deletedAtProvider(linked, asked, later).invoice).toMatchObject({
    state: 'feedback_pending',
    flags: ['provider_status'],
  });
  expect(deletedAtProvider(queued, { ...asked, sequence: at.getTime() - 1 }, later).invoice).toBe(queued);
});

test('slots on a ticket are numbered after the highest that is taken', () => {
  expect(ticketSlotClaim('a', [])).toBe('t:a:1');
  expect(ticketSlotClaim('a', ['t:a:1', 't:a:4', 't:b:9', 'h:x'])).toBe('t:a:5');
});

test.each([
  ['between countries', { rule: 'B2BInt', lacks: null }],
  ['of the public sector', { rule: 'B2G', lacks: null }],
  ['without an address of its supplier', { rule: 'B2B', lacks: 'supplier_address' }],
] as const)('check 16: 204 is skipped for an invoice %s, which is in no error', (_what, lifeCycle) => {
  const invoice = anInvoice({
    state: 'ticket_unmatched',
    canonical: { ...canonical, lifeCycle: { ...lifeCycle, address: null } },
  });
  const byHand = link(invoice, target, at);
  expect([byHand.invoice.state, types(byHand)]).toEqual(['linked', expect.not.arrayContaining(asked)]);
  const found = { ...target, reason: 'x', signals: [], set: {} };
  const matched = ticketLink.match(invoice, found, at).invoice;
  const done = requestFeedback(matched, target, at);
  expect([done.invoice.state, types(done)]).toEqual(['done', expect.not.arrayContaining(asked)]);
  expect(types(requestFeedback({ ...matched, canonical }, target, at))).toEqual(expect.arrayContaining(asked));
});

test('of an invoice that came outside of e-invoicing the provider is told the ticket, and nothing else is offered', () => {
  const invoice = anInvoice({ state: 'ticket_unmatched', canonical: { ...canonical, isElectronic: false } });
  expect(sendableOf(invoice, allStatuses)).toEqual({ sendable: [], obstacle: null });
  expect(sendableOf(queued, allStatuses).sendable.map(({ status }) => status)).toContain('disputed');
  const details = { ...noDetails, reason: 'quality', note: 'cold' } as const;
  const telling = { heard: allStatuses, by: by.id, at };
  const forbidden = expect.objectContaining({ details: { status: 'disputed', rule: 'not_heard' } });
  expect(() => requestStatus(invoice, { status: 'disputed', details }, telling)).toThrow(forbidden);
  expect(types(link(invoice, target, at))).toEqual(expect.arrayContaining(asked));
});

test('a result has one version for each of its moves, and a status that failed changes no state', () => {
  const done = answered(linked, 'sent');
  expect(done.events.map(({ data }) => (data as { version: number }).version)).toEqual([
    ...[linked.version + 1, linked.version + 2],
  ]);
  expect(done.invoice.version).toBe(linked.version + 2);
  const details = { ...noDetails, reason: 'quality', note: 'cold' } as const;
  const telling = { heard: allStatuses, by: by.id, at };
  const told = requestStatus(done.invoice, { status: 'disputed', details }, telling).invoice;
  const result = { invoice_id: told._id, client_id: told.client_id, link_version: told.link_version, reason: 'no' };
  const failed = { ...result, outcome: 'disputed', result: 'failed', refused: true, at: at.toISOString() } as const;
  const { invoice, events } = applyFeedbackResult(told, failed, at);
  expect([invoice.state, invoice.version, events]).toEqual(['done', told.version + 1, []]);
  expect(invoice.flags).toContain('status_failed');
});
