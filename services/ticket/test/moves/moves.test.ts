import { AppError } from '@app/kernel';
import * as moves from '../../moves/moves.ts';
import { addQuote, declineQuote, validateQuote } from '../../quotes/quotes.ts';
import { withStatus } from '../../tickets/lifecycle/decision.ts';
import { statusOf, type Ticket, typologies, viewOfCompany } from '../../tickets/ticket.ts';
import {
  aContractor,
  aTicket,
  at,
  client,
  clientId,
  later,
  proposedTo,
  statusChanges,
  worked,
} from '../tickets/fixtures.ts';

const [a, b] = [aContractor(), aContractor()];
const seen = (ticket: Ticket, { companyId }: typeof a) => viewOfCompany(ticket, companyId)?.status;
const none = undefined;

function quoted(ticket: Ticket, by: typeof a, id: string): Ticket {
  const quote = { _id: id, reference: id, price: '10', includes_vat: false, file: null, contractor_id: null };
  return addQuote(ticket, by.actor, at, quote).ticket;
}

test('proposing gives each contractor a view and an event with from null', () => {
  const decision = moves.propose(aTicket(), client, at, { contractors: [a.candidate, b.candidate], expiresAt: null });
  expect(statusOf(decision.ticket)).toBe('proposed');
  expect(statusChanges(decision)).toEqual([
    { to: clientId, from: 'opened', status: 'proposed' },
    { to: a.companyId, from: null, status: 'proposed' },
    { to: b.companyId, from: null, status: 'proposed' },
  ]);
});

test('proposing again to the same contractor changes nothing', () => {
  const ticket = proposedTo('proposed', a);
  expect(moves.propose(ticket, client, later, { contractors: [a.candidate], expiresAt: null })).toEqual({
    ticket,
    events: [],
  });
});

test('the contractors of a ticket are bounded; those that it has may still be asked again', () => {
  const all = Array.from({ length: 200 }, () => aContractor());
  const full = proposedTo('proposed', ...all);
  for (const ask of [
    () => moves.propose(full, client, at, { contractors: [a.candidate], expiresAt: null }),
    () => moves.assign(full, client, at, { contractor: a.candidate }),
  ]) {
    expect(ask).toThrow(expect.objectContaining({ code: 'ticket_too_many' }));
  }
  const known = all[199]?.candidate as typeof a.candidate;
  expect(seen(moves.assign(full, client, at, { contractor: known }).ticket, all[199] as typeof a)).toBe('assigned');
});

test('of two proposed, one declines and the ticket stays; the other accepts and has it', () => {
  const declined = moves.decline(proposedTo('proposed', a, b), a.actor, at, { reason: 'no time' });
  expect(statusChanges(declined)).toEqual([{ to: a.companyId, from: 'proposed', status: 'declined' }]);
  const accepted = moves.accept(declined.ticket, b.actor, later, none);
  expect(accepted.ticket.assigned_at).toEqual(later);
  expect(statusChanges(accepted)).toEqual(
    expect.arrayContaining([
      { to: clientId, from: 'proposed', status: 'waiting_contractor' },
      { to: b.companyId, from: 'proposed', status: 'waiting_contractor' },
    ]),
  );
  expect(statusChanges(accepted)).toHaveLength(2);
  expect(seen(accepted.ticket, a)).toBe('declined');
});

test('the last to decline leaves the ticket declined', () => {
  const decision = moves.decline(proposedTo('proposed', a), a.actor, at, { reason: null });
  expect(statusOf(decision.ticket)).toBe('declined');
});

test('accepting withdraws the other proposals, whose contractors can accept no more', () => {
  const { ticket } = moves.accept(proposedTo('proposed', a, b), a.actor, at, none);
  expect(seen(ticket, b)).toBe('canceled');
  expect(() => moves.accept(ticket, b.actor, at, none)).toThrow(AppError);
});

test("a competitor's quote blocks neither accept nor decline", () => {
  const ticket = quoted(proposedTo('proposed', a, b), a, 'q1');
  expect(statusOf(ticket)).toBe('validation');
  expect(seen(ticket, b)).toBe('proposed');
  expect(statusOf(moves.accept(ticket, b.actor, at, none).ticket)).toBe('waiting_contractor');
  expect(seen(moves.decline(ticket, b.actor, at, { reason: null }).ticket, b)).toBe('declined');
});

test('declining declines the pending quotes with it, and the ticket follows the quotes that are left', () => {
  const both = quoted(quoted(proposedTo('proposed', a, b), a, 'q1'), b, 'q2');
  const one = moves.decline(both, a.actor, at, { reason: null }).ticket;
  expect(one.quotes.map(({ status }) => status)).toEqual(['declined', 'pending']);
  expect(statusOf(one)).toBe('validation');
  const unquoted = moves.decline(quoted(proposedTo('proposed', a, b), a, 'q1'), a.actor, at, { reason: null }).ticket;
  expect(statusOf(unquoted)).toBe('proposed');
});

test('assigning another contractor cancels the view of the former', () => {
  const decision = moves.assign(worked('toplan', a), client, later, { contractor: b.candidate });
  expect(statusOf(decision.ticket)).toBe('assigned');
  expect(seen(decision.ticket, a)).toBe('canceled');
  expect(statusChanges(decision)).toContainEqual({ to: b.companyId, from: null, status: 'assigned' });
});

test('assigning the contractor it has changes nothing, even where assigning is not possible', () => {
  for (const status of ['toplan', 'intervention'] as const) {
    const ticket = worked(status, a);
    expect(moves.assign(ticket, client, at, { contractor: a.candidate })).toEqual({ ticket, events: [] });
  }
});

test('a contractor without account is assigned, and only the client gets an event', () => {
  const decision = moves.assign(aTicket(), client, at, { contractor: { id: a.candidate.id, company_id: null } });
  expect(statusChanges(decision)).toEqual([{ to: clientId, from: 'opened', status: 'assigned' }]);
});

test('a repeated request changes nothing and publishes nothing', () => {
  const ticket = worked('finished', a);
  expect(moves.finish(ticket, client, later, { reserve: null })).toEqual({ ticket, events: [] });
});

test('reserve is for reserve tickets alone, and kept', () => {
  expect(() => moves.finish(worked('toplan', a), client, at, { reserve: true })).toThrow('Validation error');
  const reserve = worked('toplan', a, { typology_id: typologies.leveeReserves });
  expect(moves.finish(reserve, client, at, { reserve: true }).ticket.reserve).toBe(true);
});

test('a reserve on another kind of ticket is refused after the checks of permission and status', () => {
  expect(() => moves.close(worked('toplan', a), a.actor, at, { reserve: true })).toThrow(
    'close is not for the contractor',
  );
  expect(() => moves.close(aTicket({ views: worked('draft', a).views }), client, at, { reserve: true })).toThrow(
    'not possible while the ticket is draft',
  );
  expect(() => moves.close(worked('closed', a), client, at, { reserve: true })).toThrow('Validation error');
});

test('a contractor does not find the quote of a competitor, and may not decide its own', () => {
  const ticket = quoted(quoted(proposedTo('proposed', a, b), a, 'q1'), b, 'q2');
  for (const decide of [validateQuote, declineQuote]) {
    expect(() => decide(ticket, a.actor, at, 'q2')).toThrow('no such quote');
    expect(() => decide(ticket, a.actor, at, 'q1')).toThrow('not for the contractor');
  }
});

test('closing stamps closed_at, reopening clears it and keeps the contractor', () => {
  const closed = moves.close(worked('finished', a), client, later, { reserve: null }).ticket;
  expect(closed.closed_at).toEqual(later);
  const opened = moves.reopen(closed, client, later, none);
  expect(opened.ticket.closed_at).toBeNull();
  expect(seen(opened.ticket, a)).toBe('opened');
  expect(statusChanges(opened)).toHaveLength(2);
});

test('a former contractor neither reopens nor moves a ticket', () => {
  const { ticket } = moves.assign(worked('toplan', a), client, at, { contractor: b.candidate });
  const closed = moves.close(ticket, client, at, { reserve: null }).ticket;
  expect(() => moves.reopen(closed, a.actor, at, none)).toThrow(AppError);
  expect(seen(closed, a)).toBe('canceled');
});

test('canceling withdraws proposals and keeps the reason as a managers note', () => {
  const decision = moves.cancel(proposedTo('proposed', a), client, at, { reason: 'sold' });
  expect(seen(decision.ticket, a)).toBe('canceled');
  expect(decision.notes).toMatchObject([{ text: 'sold', type: 'managers' }]);
});

test('a contractor cancels what it created, until a quote of it was validated', () => {
  const own = (ticket: Ticket) => ({ ...ticket, created_by: { ...ticket.created_by, company_id: a.companyId } });
  expect(() => moves.cancel(worked('assigned', a), a.actor, at, { reason: null })).toThrow('created');
  expect(statusOf(moves.cancel(own(worked('assigned', a)), a.actor, at, { reason: null }).ticket)).toBe('canceled');
  const validated = validateQuote(quoted(worked('assigned', a), a, 'q1'), client, at, 'q1').ticket;
  expect(() => moves.cancel(own(validated), a.actor, at, { reason: null })).toThrow('validated');
});

test('a removed ticket is gone for every contractor; the one still on it gets an event', () => {
  const { ticket } = moves.assign(worked('toplan', a), client, at, { contractor: b.candidate });
  const opened = moves.reopen(moves.close(ticket, client, at, { reserve: null }).ticket, client, at, none).ticket;
  const decision = moves.remove(opened, client, at, none);
  expect(decision.ticket.views.map(({ status }) => status)).toEqual(['removed', 'removed', 'removed']);
  expect(statusChanges(decision).map(({ to }) => to)).toEqual([clientId, b.companyId]);
});

test('validating the quote of a pending contractor chooses it', () => {
  const ticket = quoted(quoted(proposedTo('proposed', a, b), a, 'q1'), b, 'q2');
  const decision = validateQuote(ticket, client, later, 'q2');
  expect(statusOf(decision.ticket)).toBe('validated');
  expect(seen(decision.ticket, a)).toBe('canceled');
  expect(decision.ticket).toMatchObject({ assigned_at: later, validated_by: { firstName: 'Ada' } });
  expect(decision.ticket.quotes[1]).toMatchObject({ status: 'validated', validated: true, validated_at: later });
});

test('"validated wins" over pending, pending over declined', () => {
  const two = quoted(quoted(worked('assigned', a), a, 'q1'), a, 'q2');
  const declined = declineQuote(two, client, at, 'q1').ticket;
  expect(statusOf(declined)).toBe('validation');
  expect(statusOf(declineQuote(declined, client, at, 'q2').ticket)).toBe('dropped');
  expect(statusOf(validateQuote(two, client, at, 'q1').ticket)).toBe('validated');
});

test('declining a validated quote takes back when and by whom it was validated', () => {
  const validated = validateQuote(quoted(worked('assigned', a), a, 'q1'), client, at, 'q1').ticket;
  const { ticket } = declineQuote(validated, client, later, 'q1');
  expect(ticket).toMatchObject({
    validated_by: null,
    quotes: [{ status: 'declined', validated: false, validated_at: null }],
  });
});

test('validated ends when scheduling begins; validated_at stays', () => {
  const validated = validateQuote(quoted(worked('assigned', a), a, 'q1'), client, at, 'q1').ticket;
  const { ticket } = moves.askForDate(validated, a.actor, later, none);
  expect(ticket.quotes[0]).toMatchObject({ validated: false, validated_at: at, status: 'validated' });
});

test.each<[string, (validated: Ticket) => Ticket]>([
  ['replaced', (ticket) => moves.assign(ticket, client, later, { contractor: b.candidate }).ticket],
  ['declined', (ticket) => moves.decline(withStatus(ticket, 'toreplan'), a.actor, later, { reason: null }).ticket],
  ['unassigned', (ticket) => moves.unassign(withStatus(ticket, 'toreplan'), client, later, none).ticket],
  ['left out, as the ticket is canceled', (ticket) => moves.cancel(ticket, client, later, { reason: null }).ticket],
])('what was validated ends when its contractor is %s', (_how, lose) => {
  const validated = validateQuote(quoted(worked('assigned', a), a, 'q1'), client, at, 'q1').ticket;
  expect(lose(validated)).toMatchObject({
    validated_by: null,
    quotes: [{ status: 'declined', validated: false, validated_at: null }],
  });
});

test('a contractor that gets the ticket back can have its quote validated once more; that of another one stays ended', () => {
  const first = validateQuote(quoted(worked('assigned', a), a, 'qa'), client, at, 'qa').ticket;
  const other = moves.assign(first, client, later, { contractor: b.candidate }).ticket;
  const second = validateQuote(quoted(other, b, 'qb'), client, later, 'qb').ticket;
  expect(second.quotes.map(({ validated }) => validated)).toEqual([false, true]);
  const back = moves.assign(second, client, later, { contractor: a.candidate }).ticket;
  expect(back.quotes.map(({ validated }) => validated)).toEqual([false, false]);
  const again = validateQuote(quoted(back, a, 'more'), client, later, 'qa').ticket;
  expect(again.quotes.map(({ validated }) => validated)).toEqual([true, false, false]);
});

test('an additional quote is added and decided without moving the ticket', () => {
  const ticket = quoted(worked('finished', a), a, 'q1');
  expect(statusOf(ticket)).toBe('finished');
  const decision = validateQuote(ticket, client, later, 'q1');
  expect(statusOf(decision.ticket)).toBe('finished');
  expect(decision.ticket.quotes[0]).toMatchObject({ validated: true, validated_at: later });
});

test('once work is scheduled only additional quotes are decided', () => {
  const validated = validateQuote(quoted(worked('assigned', a), a, 'q1'), client, at, 'q1').ticket;
  const ticket = quoted(moves.finish(validated, client, at, { reserve: null }).ticket, a, 'extra');
  for (const [decide, operation] of [
    [validateQuote, 'validate_quote'],
    [declineQuote, 'decline_quote'],
  ] as const) {
    expect(() => decide(ticket, client, later, 'q1')).toThrow(
      expect.objectContaining({ details: { from: 'finished', operation } }),
    );
    expect(decide(ticket, client, later, 'extra').ticket.quotes[0]).toMatchObject({ validated_at: at });
  }
});

test('removing a ticket ends its proposals: their contractors get an event, and no timer restores the ticket', () => {
  const given = { contractors: [a.candidate, b.candidate], expiresAt: later };
  const waiting = withStatus(moves.propose(aTicket(), client, at, given).ticket, 'waiting');
  const decision = moves.remove(waiting, client, at, none);
  expect(statusChanges(decision)).toContainEqual({ to: b.companyId, from: 'proposed', status: 'canceled' });
  expect(decision.ticket.due_at).toBeNull();
  expect(moves.expire(decision.ticket, later).events).toEqual([]);
});

test('a proposal that ran out is declined, and only then', () => {
  const { ticket } = moves.propose(aTicket(), client, at, { contractors: [a.candidate], expiresAt: later });
  expect(ticket.due_at).toEqual(later);
  expect(moves.expire(ticket, new Date(later.getTime() - 1)).events).toEqual([]);
  const decision = moves.expire(ticket, later);
  expect(decision.ticket.views[1]).toMatchObject({ status: 'declined', reason: 'expired' });
  expect(statusOf(decision.ticket)).toBe('declined');
});
