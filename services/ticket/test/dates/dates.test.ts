import { addDate, datesPast, notDone, reschedule } from '../../dates/dates.ts';
import * as moves from '../../moves/moves.ts';
import { addQuote } from '../../quotes/quotes.ts';
import { statusOf } from '../../tickets/ticket.ts';
import {
  aContractor,
  aDate,
  at,
  client,
  clientId,
  later,
  proposedTo,
  statusChanges,
  withPlanned,
  worked,
} from '../tickets/fixtures.ts';

const [a, b] = [aContractor(), aContractor()];
const quote = { _id: 'q', reference: 'q', price: '1', includes_vat: false, file: null, contractor_id: null };
const hours = (count: number) => new Date(at.getTime() + count * 3_600_000);
const nextDay = (date: ReturnType<typeof aDate>) => ({ ...aDate({ ...date, start: hours(48) }), end: hours(49) });

test('planning an intervention moves the ticket and sends events to client and contractor, with times in minutes', () => {
  const decision = addDate(worked('toplan', a), client, at, aDate());
  expect(statusOf(decision.ticket)).toBe('intervention');
  expect(decision.events.find(({ type }) => type === 'ticket.intervention_date_added.v1')?.data).toMatchObject({
    audience: [clientId, a.companyId],
    payload: { date: { type: 'intervention', date: later.toISOString(), duration: 60 } },
  });
  expect(decision.ticket.due_at).toEqual(hours(25));
});

test('a second planned date moves nothing: no second status event', () => {
  const planned = withPlanned(worked('toplan', a), aDate());
  const decision = addDate(planned, client, at, aDate({ start: hours(48), end: hours(49) }));
  expect(statusChanges(decision)).toEqual([]);
  expect(decision.events).toHaveLength(1);
});

test('a contractor that plans while it is proposed has accepted', () => {
  const decision = addDate(proposedTo('proposed', a, b), a.actor, at, aDate({ category: 'visit' }));
  expect(statusOf(decision.ticket)).toBe('visit');
  expect(decision.ticket.assigned_at).toEqual(at);
  expect(statusChanges(decision)).toContainEqual({ to: b.companyId, from: 'proposed', status: 'canceled' });
});

test('nothing is planned where nobody has the work', () => {
  const validation = addQuote(proposedTo('proposed', a), a.actor, at, quote).ticket;
  expect(() => addDate(validation, client, at, aDate())).toThrow('plan_intervention is not possible');
});

test('an intervention done finishes, unless a planned date after it remains', () => {
  const planned = withPlanned(worked('toplan', a), aDate());
  const actual = aDate({ type: 'actual', start: hours(24), end: hours(26) });
  const finished = addDate(planned, a.actor, later, actual).ticket;
  expect(statusOf(finished)).toBe('finished');
  expect(finished.dates.map(({ type, state }) => `${type} ${state}`)).toEqual(['planned done', 'actual done']);
  const two = withPlanned(planned, nextDay(aDate()));
  expect(statusOf(addDate(two, a.actor, later, actual).ticket)).toBe('intervention');
});

test('a visit done leads to the quotes or to planning', () => {
  const visited = withPlanned(worked('toplan', a), aDate({ category: 'visit' }));
  const actual = aDate({ category: 'visit', type: 'actual' });
  expect(statusOf(addDate(visited, a.actor, later, actual).ticket)).toBe('toplan');
  const pending = { status: 'pending', validated: false, validated_at: null, added_at: at } as const;
  const quoted = { ...visited, quotes: [{ ...quote, ...pending, contractor_id: a.candidate.id }] };
  expect(statusOf(addDate(quoted, a.actor, later, actual).ticket)).toBe('validation');
});

test('a visit confirmed late, after the quote, is kept and moves nothing', () => {
  const decision = addDate(worked('validation', a), a.actor, later, aDate({ category: 'visit', type: 'actual' }));
  expect(statusOf(decision.ticket)).toBe('validation');
  expect(decision.ticket.dates).toHaveLength(1);
});

test('not done goes back to planning; of another state of the date it is refused', () => {
  const ticket = withPlanned(worked('toplan', a), aDate());
  const [date] = ticket.dates;
  const missed = notDone(ticket, client, later, date?._id ?? '').ticket;
  expect(statusOf(missed)).toBe('toreplan');
  expect(missed.dates[0]?.state).toBe('not_done');
  expect(notDone(missed, client, later, date?._id ?? '').events).toEqual([]);
  expect(() => notDone(ticket, client, later, 'f'.repeat(24))).toThrow('no such date');
});

test('rescheduling one of two dates leaves the other; rescheduling all leads to toreplan', () => {
  const ticket = withPlanned(worked('toplan', a), aDate(), nextDay(aDate()));
  const one = reschedule(ticket, a.actor, at, ticket.dates[0]?._id ?? '');
  expect(statusOf(one.ticket)).toBe('intervention');
  expect(one.ticket.dates.map(({ state }) => state)).toEqual(['canceled', 'planned']);
  expect(statusOf(reschedule(ticket, a.actor, at, null).ticket)).toBe('toreplan');
});

test('rescheduling a date that the ticket does not have names date_id', () => {
  const ticket = withPlanned(worked('toplan', a), aDate());
  expect(() => reschedule(ticket, client, at, 'f'.repeat(24))).toThrow('Validation error');
});

test('dates that are past move the ticket once, and not before they are', () => {
  const ticket = withPlanned(worked('toplan', a), aDate());
  expect(datesPast(ticket, hours(24)).events).toEqual([]);
  const past = datesPast(ticket, hours(25));
  expect(statusOf(past.ticket)).toBe('intervention_finish');
  expect(past.ticket.due_at).toBeNull();
  expect(datesPast(past.ticket, hours(26)).events).toEqual([]);
  const visit = withPlanned(worked('toplan', a), aDate({ category: 'visit' }));
  expect(statusOf(datesPast(visit, hours(25)).ticket)).toBe('visit_devis');
});

test('a ticket holds at most 1,000 dates', () => {
  const full = { ...withPlanned(worked('toplan', a), aDate()) };
  const dates = Array.from({ length: 1_000 }, () => ({ ...aDate(), state: 'planned' as const }));
  expect(() => addDate({ ...full, dates }, client, at, aDate())).toThrow('at most 1000 dates');
});

test('an intervention that is done leaves no proposal to accept', () => {
  const asked = moves.propose(worked('toreplan', a), client, at, { contractors: [b.candidate], expiresAt: null });
  const quoted = addQuote(asked.ticket, a.actor, at, quote).ticket;
  const planned = addDate(quoted, client, at, aDate()).ticket;
  const done = addDate(planned, a.actor, hours(25), aDate({ type: 'actual', start: hours(24), end: hours(25) }));
  expect(statusOf(done.ticket)).toBe('finished');
  expect(statusChanges(done)).toContainEqual({ to: b.companyId, from: 'proposed', status: 'canceled' });
  expect(() => moves.accept(done.ticket, b.actor, hours(26), undefined)).toThrow('not possible');
});

test('the contractor of a ticket that is proposed to others accepts by planning: their proposals are withdrawn', () => {
  const asked = moves.propose(worked('toreplan', a), client, at, { contractors: [b.candidate], expiresAt: null });
  const planned = addDate(asked.ticket, a.actor, later, aDate());
  expect(statusChanges(planned)).toContainEqual({ to: b.companyId, from: 'proposed', status: 'canceled' });
});
