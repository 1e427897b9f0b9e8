import { newId } from '@app/kernel';
import { aCaller } from '@app/testing';
import { withStatus } from '../../../tickets/lifecycle/decision.ts';
import { withoutKeys } from '../../../tickets/stores/ticket-collection.ts';
import { createTicketLoader } from '../../../tickets/stores/ticket-loader-store.ts';
import type { Ticket } from '../../../tickets/ticket.ts';
import { plansOf } from '../../platform.ts';
import { worked } from '../fixtures.ts';
import { ticketStores, useTicketStores } from './ticket-stores.ts';

const [client, neighbour, contractor] = [aCaller(), aCaller(), aCaller({ companyKind: 'contractor' })];
const stores = useTicketStores();
const loader = (omit: object = withoutKeys) => createTicketLoader<Ticket>(stores.connection, omit);

async function aTicket(): Promise<Ticket> {
  const candidate = { id: newId(), company_id: contractor.companyId };
  const ticket = worked('assigned', { candidate }, { client_id: client.companyId, title: 'x' });
  await stores.tickets.add(ticket, null);
  return ticket;
}

/** Saves a change of a ticket, outside any request. */
const change = (ticket: Ticket, rule: (current: Ticket) => Ticket) =>
  stores.tickets.change(ticket, (current) => ({ ticket: rule(current), events: [] }), { write: null });

test('of tickets read at once, by one query, each company gets its own alone', async () => {
  const reads = loader();
  const [a, b] = [await aTicket(), await aTicket()];
  const removed = await change(b, (ticket) => withStatus(ticket, 'removed'));
  let found: (Ticket | null)[] = [];
  const plans = await plansOf(stores.connection, async () => {
    found = await Promise.all([
      reads.load(a._id, client),
      reads.load(a._id, neighbour),
      reads.load(a._id, contractor),
      reads.load(a._id),
      reads.load(b._id, client),
      reads.load(b._id, contractor),
      reads.load(newId(), client),
    ]);
  });
  expect(plans).toMatchObject([{ planSummary: 'IXSCAN { _id: 1 }', docsExamined: 2 }]);
  expect(found.map((ticket) => ticket?._id ?? null)).toEqual([a._id, null, a._id, a._id, b._id, null, null]);
  expect(found[4]?.version).toBe(removed.version);
  // None of those who ask alone sees more.
  expect([await reads.load(a._id, neighbour), (await reads.load(a._id, contractor))?._id]).toEqual([null, a._id]);
});

test('of changes saved at once only the outdated one is decided again', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, aTicket));
  await change(all[2] as Ticket, (ticket) => ({ ...ticket, title: 'y' }));
  let decisions = 0;
  const after = await Promise.all(
    all.map((start) =>
      change(start, (ticket) => {
        decisions += 1;
        return { ...ticket, title: `${ticket.title} again` };
      }),
    ),
  );
  const titles = ['x again', 'x again', 'y again', 'x again', 'x again', 'x again'];
  expect(after.map(({ title }) => title)).toEqual(titles);
  expect(decisions).toBe(7);
  const reads = loader();
  const stored = await Promise.all(all.map(({ _id }) => reads.load(_id)));
  expect(stored.map((ticket) => ticket?.title)).toEqual(titles);
});

test('of two changes of one ticket in the same batch one is saved, the other is decided again on the result', async () => {
  const ticket = await aTicket();
  const rename = (name: string) => change(ticket, (current) => ({ ...current, title: `${current.title}${name}` }));
  const versions = (await Promise.all(['a', 'b', 'c'].map(rename))).map(({ version }) => version);
  expect(versions.sort()).toEqual([1, 2, 3].map((more) => ticket.version + more));
  const after = await loader().load(ticket._id);
  expect([...(after?.title ?? '')].sort()).toEqual(['a', 'b', 'c', 'x']);
});

test('a status change writes the fields of the views that differ, and nothing else of them', async () => {
  const ticket = await aTicket();
  const moved = await change(ticket, (current) => withStatus(current, 'finished'));
  const stored = await loader().load(ticket._id);
  expect(stored?.views).toEqual(moved.views);
  expect(stored?.views.map(({ status }) => status)).toEqual(['finished', 'finished']);
});

test('a change decided on what stood before a note of a process whose clock is ahead comes after the note', async () => {
  const ahead = () => new Date(Date.now() + 3_600_000);
  const ticket = await aTicket();
  const draft = { text: 'Tuesday', type: 'public', author: ticket.created_by } as const;
  const options = { write: null, permit: () => undefined };
  const note = await ticketStores(stores.connection, ahead).notes.add(ticket, draft, options);
  const after = await change(ticket, (current) => ({ ...current, title: 'y' }));
  expect(after.updated_at.getTime()).toBeGreaterThan(note.created_at.getTime());
  expect((await loader({}).load(ticket._id))?.updated_at).toEqual(after.updated_at);
});
