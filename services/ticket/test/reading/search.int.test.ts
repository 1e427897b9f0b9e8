import { newId } from '@app/kernel';
import { withStatus, withViewFor } from '../../tickets/lifecycle/decision.ts';
import { type ListQuery, maxRead } from '../../tickets/lists/ticket-list-plan.ts';
import { storedForm, ticketCollection } from '../../tickets/stores/ticket-collection.ts';
import { countedAtMost } from '../../tickets/stores/ticket-queries-store.ts';
import type { Ticket } from '../../tickets/ticket.ts';
import type { Viewer } from '../../tickets/visibility.ts';
import * as fixtures from '../tickets/fixtures.ts';
import { useTicketStores } from '../tickets/stores/ticket-stores.ts';

const now = new Date('2026-11-24T10:00:00.000Z');
const client: Viewer = { companyId: newId(), companyKind: 'client' };
const contractor: Viewer = { companyId: newId(), companyKind: 'contractor' };
const entry = newId();

const stores = useTicketStores(() => now);
afterEach(async () => void (await ticketCollection(stores.connection).deleteMany({})));

const aTicket = (title: string, given: Partial<Ticket> = {}) =>
  fixtures.aTicket({ client_id: client.companyId, title, ...given });
const proposed = (ticket: Ticket) =>
  withViewFor(
    ticket,
    { id: entry, company_id: contractor.companyId },
    { state: 'pending', status: 'proposed', expires_at: null },
  );
const titlesOf = async (query: Partial<ListQuery>, viewer = client) =>
  (await stores.tickets.list({ limit: 50, ...query }, viewer)).items.map(({ title }) => title);

test.each([
  ['two words in any order', 'toiture fuite', ['Fuite en toiture']],
  ['words with an apostrophe', "d'eau", ['Fuite d’eau']],
  ['a ligature', 'noeud', ['Nœud électrique']],
  ['a long word, by its first eight letters', 'climatiseur', ['Climatiseur bruyant', 'Climatisation en panne']],
  ['a code as a whole', 'R-12', ['Salle R-12']],
  ['a part of a code', '12', ['Salle R-12']],
  ['a code with the dash of a letter', 'R\u201112', ['Salle R-12']],
  ['one with that of a range', 'salle\u00a0R\u201312', ['Salle R-12']],
  ['one with a minus', 'R\u221212', ['Salle R-12']],
  ['one with a dash where the title has another', 'B-7', ['Bloc B\u20107']],
  ['a number with another dash', 'T\u2013000077', ['Fuite en toiture']],
  ['not the middle of a word', 'uite', []],
  ['operators and patterns as what they are', '$where .* {"$gt":""} toiture', []],
  ['what no title holds', 'zzz', []],
])('a search finds %s', async (_what, q, expected) => {
  const titles = ['Fuite en toiture', 'Fuite d’eau', 'Nœud électrique', 'Salle R-12', 'Bloc B\u20107'];
  for (const title of [...titles, 'Climatiseur bruyant', 'Climatisation en panne'])
    await stores.tickets.add(aTicket(title, title === titles[0] ? { number: 'T-000077' } : {}), null);
  expect((await titlesOf({ q })).sort()).toEqual([...expected].sort());
});

test('what is found follows each change of the ticket, for each company that sees it', async () => {
  const { _id } = await stores.tickets.add(aTicket('Porte bloquée'), null);
  const location = newId();
  expect([await titlesOf({ q: 'porte' }), await titlesOf({ q: 'porte' }, contractor)]).toEqual([['Porte bloquée'], []]);
  const change = (rule: (ticket: Ticket) => Ticket) =>
    stores.tickets.change(_id, (ticket) => ({ ticket: rule(ticket), events: [] }), { write: null });
  await change(proposed);
  expect(await titlesOf({ q: 'porte' }, contractor)).toEqual(['Porte bloquée']);
  expect(await titlesOf({ contractor_id: entry })).toEqual(['Porte bloquée']);
  await change((ticket) => ({ ...ticket, title: 'Volet cassé', location_ids: [location], priority: 'high' }));
  expect([await titlesOf({ q: 'porte' }), await titlesOf({ q: 'volet' }, contractor)]).toEqual([[], ['Volet cassé']]);
  for (const viewer of [client, contractor]) {
    expect(await titlesOf({ location_id: location, priority: 'high', status: ['opened', 'proposed'] }, viewer)).toEqual(
      ['Volet cassé'],
    );
  }
  await change((ticket) => ({
    ...ticket,
    views: ticket.views.map((view) => (view.role === 'client' ? view : { ...view, state: 'declined' })),
  }));
  expect(await titlesOf({ contractor_id: entry })).toEqual([]);
  expect(await titlesOf({ q: 'volet' }, { ...client, companyId: newId() })).toEqual([]);
});

test.each(['asc', 'desc'] as const)(
  'several filters read a bounded number of tickets for a page, and over the pages give each once: %s',
  async (order) => {
    const all = Array.from({ length: 2 * maxRead + 100 }, (_, index) =>
      aTicket(index % 500 === 0 ? 'Fuite rare' : 'Fuite', { priority: index % 700 === 0 ? 'high' : 'none' }),
    );
    await ticketCollection(stores.connection).insertMany(all.map(storedForm) as never);
    const ids = (matches: (ticket: Ticket) => boolean) => {
      const sorted = all
        .filter(matches)
        .map(({ _id }) => _id)
        .sort();
      return order === 'asc' ? sorted : sorted.reverse();
    };
    const rows: [Partial<ListQuery>, string[]][] = [
      [{ q: 'fuite rare' }, ids(({ title }) => title === 'Fuite rare')],
      [{ q: 'fuite', priority: 'high' }, ids(({ priority }) => priority === 'high')],
      [{ q: 'fuite', status: ['closed'] }, []],
    ];
    for (const [query, expected] of rows) {
      const given: string[] = [];
      let pages = 0;
      for (let cursor: string | null | undefined; cursor !== null && pages < 10; pages += 1) {
        const page = await stores.tickets.list({ limit: 50, order, ...query, ...(cursor ? { cursor } : {}) }, client);
        given.push(...page.items.map(({ _id }) => _id));
        cursor = page.cursor;
      }
      expect([given, pages]).toEqual([expected, 3]);
    }
  },
);

test('tickets are counted by status for each company that sees them, up to a limit', async () => {
  const many = Array.from({ length: countedAtMost + 20 }, () => aTicket('Fuite'));
  const others = [
    proposed(aTicket('a')),
    withStatus(aTicket('b'), 'closed'),
    withStatus(proposed(aTicket('c')), 'removed'),
  ];
  const gone = { ...proposed(aTicket('d')) };
  const removed = { ...gone, views: gone.views.map((view) => ({ ...view, status: 'removed' as const })) };
  await ticketCollection(stores.connection).insertMany([...many, ...others, removed].map(storedForm) as never);
  const byStatus = async (viewer: Viewer) => (await stores.tickets.counts(viewer)).status;
  expect(await byStatus(client)).toEqual({ opened: countedAtMost, closed: 1, removed: 2 });
  expect(await byStatus(contractor)).toEqual({ proposed: 2 });
  expect(await byStatus({ ...client, companyId: newId() })).toEqual({});
});
