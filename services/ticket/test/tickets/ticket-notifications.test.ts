import { newId } from '@app/kernel';
import { addDate } from '../../dates/dates.ts';
import { accept, assign, decline, propose, submit } from '../../moves/moves.ts';
import { toldOfNote } from '../../notes/note-notifications.ts';
import { addQuote } from '../../quotes/quotes.ts';
import { withStatus } from '../../tickets/lifecycle/decision.ts';
import { linkContractor } from '../../tickets/lifecycle/link-contractor.ts';
import { hasOtherReaders, notificationEvents, toldOfChange } from '../../tickets/lifecycle/ticket-notifications.ts';
import type { NoteDraft, Ticket } from '../../tickets/ticket.ts';
import { aContractor, aDate, aTicket, at, client, clientId, later, proposedTo, user, worked } from './fixtures.ts';

const [one, other] = [aContractor(), aContractor()];
const [ada, leo] = [newId(), newId()];
const at$ = later.toISOString();
const told = (before: Ticket | null, after: Ticket, by: typeof user | null = user) =>
  toldOfChange(before, { ...after, updated_at: later }, by);
const by = ({ actor }: typeof one) => (actor.party === 'timer' ? null : actor.user);
const quote = { _id: newId(), reference: 'DEV-1', price: '12', includes_vat: false, file: null, contractor_id: null };

test('who becomes manager of a ticket is told, and of a draft once it is opened', () => {
  const before = { ...aTicket(), manager_ids: [ada] };
  const assigned = { company_id: clientId, kind: 'assigned', what: `managers:${at$}` };
  expect(told(before, { ...before, manager_ids: [leo, ada] })).toEqual([{ ...assigned, users: [leo] }]);
  expect(told(before, { ...before, manager_ids: [] })).toEqual([]);
  expect(told(null, before)).toEqual([{ ...assigned, users: [ada] }]);
  const draft = withStatus(before, 'draft');
  expect(told(null, draft)).toEqual([]);
  expect(told(draft, submit(draft, client, at, {}).ticket)).toEqual([{ ...assigned, users: [ada] }]);
});

test('who may read what was told is told anew with other managers or places alone', () => {
  const before = { ...aTicket(), manager_ids: [ada], location_ids: [newId()] };
  const changed = (more: Partial<Ticket>, from: Ticket | null = before) =>
    hasOtherReaders(from, { ...before, ...more });
  expect([changed({ title: 'Flood', manager_ids: [ada] }), changed({}, null)]).toEqual([false, false]);
  expect([changed({ manager_ids: [leo] }), changed({ location_ids: [newId()] })]).toEqual([true, true]);
});

test('contractors are told of proposals and of what is given to them, each of its own alone', () => {
  const opened = worked('opened', one);
  const contractors = [one.candidate, other.candidate];
  const fresh = submit(aTicket(), client, at, {}).ticket;
  const proposed = propose(fresh, client, at, { contractors, expiresAt: null }).ticket;
  expect(told(fresh, proposed)).toEqual(
    [one, other].map(({ companyId: company_id }) => ({ company_id, kind: 'proposal', what: `proposal:${at$}` })),
  );
  expect(told(proposed, proposed)).toEqual([]);
  expect(told(proposed, accept(proposed, one.actor, at, {}).ticket, by(one))).toEqual([]);
  expect(told(proposed, decline(proposed, one.actor, at, { reason: null }).ticket, by(one))).toEqual([]);
  const given = assign(opened, client, at, { contractor: other.candidate }).ticket;
  expect(told(opened, given)).toEqual([{ company_id: other.companyId, kind: 'assigned', what: `assigned:${at$}` }]);
});

test('a contractor without an account is told once it has one', () => {
  const [candidate, company_id] = [{ id: newId(), company_id: null }, newId()];
  const fresh = submit(aTicket(), client, at, {}).ticket;
  const proposed = propose(fresh, client, at, { contractors: [candidate], expiresAt: null }).ticket;
  expect(told(fresh, proposed)).toEqual([]);
  const link = { contractor_id: candidate.id, company_id, client_id: clientId };
  const linked = linkContractor(proposed, link as Parameters<typeof linkContractor>[1], at).ticket;
  expect(told(proposed, linked, null)).toEqual([{ company_id, kind: 'proposal', what: `proposal:${at$}` }]);
});

test('the client is told of quotes and dates of a contractor, the contractor of dates of the client', () => {
  const before = { ...worked('toplan', one), manager_ids: [ada] };
  const quoted = addQuote(before, one.actor, at, quote).ticket;
  const offer = { kind: 'quote', what: `quote:${quote._id}`, text: 'DEV-1' };
  expect(told(before, quoted, by(one))).toEqual([{ company_id: clientId, ...offer, managers: [ada] }]);
  expect(told(before, quoted)).toEqual([]);
  const date = aDate({ category: 'visit' });
  const planned = (actor: typeof client) => addDate(before, actor, at, date).ticket;
  const visit = { kind: 'date', what: `date:${date._id}`, text: date.start.toISOString() };
  expect(told(before, planned(one.actor), by(one))).toEqual([{ company_id: clientId, ...visit, managers: [ada] }]);
  expect(told(before, planned(client))).toEqual([{ company_id: one.companyId, ...visit, managers: [] }]);
});

test('what others proposed, and places, are nothing for a contractor', () => {
  const ticket = proposedTo('proposed', one, other);
  const cause = { by: user, placeIds: [newId()], at: later };
  const what = { kind: 'note', what: 'note:1' } as const;
  const companies = [clientId, one.companyId].map((company_id) => ({ ...what, company_id }));
  const events = notificationEvents(ticket, companies, cause).map(({ data }) => data);
  expect(events).toMatchObject([
    {
      company_id: clientId,
      to: { place_ids: cause.placeIds },
      actor: { id: user._id },
      key: `ticket:${ticket._id}:note:1`,
    },
    { company_id: one.companyId, to: { place_ids: null } },
  ]);
});

describe('a note', () => {
  const ticket = { ...proposedTo('proposed', one, other), manager_ids: [ada] };
  const writers = [
    { company_id: clientId, user_id: leo },
    { company_id: one.companyId, user_id: 'worker' },
  ];
  const note = (draft: Partial<NoteDraft>) =>
    toldOfNote(ticket, { text: 'Hello', type: 'public', author: user, ...draft }, later, writers).map(
      ({ company_id, kind, users, managers }) => ({ company_id, kind, ...(users ? { users } : { managers }) }),
    );

  test('for both parties is told managers, writers and each contractor', () => {
    expect(note({})).toEqual([
      { company_id: clientId, kind: 'note', users: [ada, leo] },
      { company_id: one.companyId, kind: 'note', managers: ['worker'] },
      { company_id: other.companyId, kind: 'note', managers: [] },
    ]);
  });

  test('of one contractor among several is answered within the client: another answer would reach the others', () => {
    const draft: NoteDraft = { text: 'We ask 900', type: 'public', author: by(one) ?? user };
    const seen = toldOfNote(ticket, draft, later, writers).map(({ company_id, visibility }) => [
      company_id,
      visibility,
    ]);
    expect(seen).toEqual([
      [clientId, 'internal'],
      [one.companyId, 'shared'],
    ]);
  });

  test('of a contractor is told the client and itself, no other contractor', () => {
    expect(note({ author: by(one) ?? user })).toEqual([
      { company_id: clientId, kind: 'note', managers: [ada, leo] },
      { company_id: one.companyId, kind: 'note', users: ['worker'] },
    ]);
  });

  test('within the company stays there, and one for managers goes to these', () => {
    expect(note({ type: 'internal' })).toEqual([{ company_id: clientId, kind: 'note', users: [ada, leo] }]);
    expect(note({ type: 'managers' })).toEqual([{ company_id: clientId, kind: 'note', users: [ada] }]);
    expect(note({ type: 'managers', author: by(one) ?? user })).toEqual([]);
  });

  test('tells those whom it mentions so, and no second time', () => {
    const text = `Ask @[Leo D](user:${leo})`;
    expect(note({ text, type: 'internal' })).toEqual([
      { company_id: clientId, kind: 'mention', users: [leo] },
      { company_id: clientId, kind: 'note', users: [ada] },
    ]);
    expect(toldOfNote(ticket, { text, type: 'internal', author: user }, later, [])[0]?.text).toBe('Ask @Leo D');
  });
});
