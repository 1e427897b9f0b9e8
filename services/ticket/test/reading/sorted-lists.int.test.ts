import { newId, sortColumns } from '@app/kernel';
import { profiled, rowsOfCsv, rowsOfXlsx } from '@app/testing';
import { ticketList } from '../../tickets/lists/ticket-list.ts';
import { storedForm, ticketCollection } from '../../tickets/stores/ticket-collection.ts';
import { priorities, type Quote, statuses, type Ticket, type TicketDate } from '../../tickets/ticket.ts';
import { type Client, usePlatform } from '../platform.ts';
import * as fixtures from '../tickets/fixtures.ts';

const platform = usePlatform({ quiet: true });
const [equipment, elsewhere] = [newId(), newId()];
let place: string;
const list = '/api/v3.0/tickets';
let client: Client;
let ours: (Ticket & { work_at: Date | null; priority_rank: number; clock_due_at: Date | null })[];

const day = (index: number) => new Date(Date.UTC(2026, 9, 1 + index));

const aQuote = (price: string): Quote => ({
  _id: newId(),
  reference: 'D-1',
  price,
  status: 'pending',
  validated: false,
  validated_at: null,
  contractor_id: newId(),
  added_at: day(0),
  file: null,
  includes_vat: false,
});

const none = { response: null, arrival: null, finish: null };
const dueOn = (finish: Date) => ({
  changes: [],
  moves: [],
  rules: null,
  due: { ...none, finish },
  warn: none,
  results: none,
});

/** Tickets with ties and gaps in every order, and as many of a neighbour. */
beforeAll(async () => {
  client = platform.as();
  place = (await client.post('/api/v3.0/locations', { name: 'North site' })).data.location._id;
  const companies = [client.caller.companyId, newId()];
  const tickets = Array.from({ length: 120 }, (_, index): Ticket => {
    const ticket = fixtures.aTicket({ client_id: companies[index % 2] as string, title: `=Fuite ${index}` });
    const [view] = ticket.views;
    const date: TicketDate = {
      _id: newId(),
      company_id: ticket.client_id,
      category: index % 3 === 0 ? 'visit' : 'intervention',
      type: 'planned',
      state: index % 4 === 0 ? 'done' : 'planned',
      start: day(index % 20),
      end: day(index % 20),
      created_at: day(0),
    };
    // Entered before the one that it is later than.
    const later = { ...date, _id: newId(), start: day((index % 20) + 2), end: day((index % 20) + 2) };
    return {
      ...ticket,
      _id: newId(),
      number: `T-${String(index).padStart(6, '0')}`,
      priority: priorities[(index >> 1) % 4] ?? 'none',
      updated_at: day(index % 30),
      location_ids: index % 6 === 0 ? [place] : [elsewhere],
      equipment_ids: index % 10 === 0 ? [equipment] : [],
      dates: index % 5 === 0 ? [] : [later, date],
      ...(index % 3 === 0 ? {} : { clock: dueOn(day(index % 25)) }),
      quotes: index % 8 === 0 ? [aQuote(`${index}.50`)] : [],
      views: [{ ...(view as Ticket['views'][number]), status: statuses[index % 7] ?? 'opened' }],
    };
  });
  await ticketCollection(platform.connection).insertMany(tickets.map(storedForm) as never);
  ours = (await ticketCollection(platform.connection)
    .find({ client_id: client.caller.companyId })
    .sort({ number: 1 })
    .toArray()) as never;
});

async function pagesOf(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null && ids.length < 70; ) {
    const { data } = await client.get(`${list}?limit=7&${query}${cursor && `&cursor=${cursor}`}`);
    ids.push(...data.tickets.map(({ _id }: { _id: string }) => _id));
    cursor = data.cursor;
  }
  return ids;
}

const filters = (): [string, (ticket: (typeof ours)[number]) => boolean][] => [
  ['', () => true],
  [`location_id=${place}`, ({ location_ids }) => location_ids.includes(place)],
  [`equipment_id=${equipment}`, ({ equipment_ids }) => equipment_ids.includes(equipment)],
  ['status=waiting,opened', ({ views }) => /^(waiting|opened)$/.test(views[0]?.status ?? '')],
  [`work_after=${+day(5)}&work_before=${+day(9)}`, ({ work_at }) => !!work_at && work_at >= day(5) && work_at < day(9)],
  [`due_after=${+day(2)}&due_before=${+day(9)}`, ({ clock_due_at: due }) => !!due && due >= day(2) && due < day(9)],
  ['overdue=true&priority=low', ({ clock_due_at: due, priority }) => !!due && priority === 'low'],
  ['quote_from=40&quote_to=80.5', ({ quotes }) => quotes.some(({ price }) => +price >= 40 && +price <= 80.5)],
  ['q=fuite&priority=high', ({ priority }) => priority === 'high'],
  [`updated_after=${+day(12)}`, ({ updated_at }) => updated_at > day(12)],
];

const pathOf = {
  updated_at: 'updated_at',
  priority: 'priority_rank',
  work_date: 'work_at',
  due_date: 'clock_due_at',
} as const;

test.each(['created_at', ...sortColumns(ticketList)].flatMap((sort) => [`${sort} asc`, `${sort} desc`]))(
  'by %s, every filter gives each ticket once, in order, page by page, and none of a neighbour',
  async (sorting) => {
    const [sort = '', order] = sorting.split(' ');
    const path = pathOf[sort as keyof typeof pathOf];
    const keyOf = (ticket: (typeof ours)[number]) =>
      path === undefined ? 0 : +(ticket[path] ?? Number.NEGATIVE_INFINITY);
    for (const [query, matches] of filters()) {
      const found = ours.filter(matches).sort((a, b) => keyOf(a) - keyOf(b) || (a._id < b._id ? -1 : 1));
      const ids = found.map(({ _id }) => _id);
      expect([query, ids.length > 0]).toEqual([query, true]);
      const expected = order === 'asc' ? ids : ids.reverse();
      expect([query, await pagesOf(`${query}&sort=${sort}&order=${order}`)]).toEqual([query, expected]);
    }
  },
);

test.each(sortColumns(ticketList))('a page by %s reads its index in order, and no more than it gives', async (sort) => {
  const operations = await profiled(platform, () => client.get(`${list}?limit=10&sort=${sort}&order=desc`));
  const pages = operations.filter(({ ns }) => ns?.endsWith('.tickets'));
  expect(pages).toHaveLength(1);
  expect(pages[0]).toMatchObject({ docsExamined: 11, planSummary: expect.stringContaining('views.company_id: 1') });
  expect(pages[0]?.hasSortStage ?? false).toBe(false);
});

test.each([
  ['csv', (bytes: Buffer) => rowsOfCsv(bytes, ';')],
  ['xlsx', rowsOfXlsx],
])('a %s holds the tickets of the list, in its order', async (format, rowsOf) => {
  const query = 'sort=priority&order=desc&status=waiting,opened';
  const path = `${list}/export?${query}&format=${format}&language=fr`;
  const { status, data } = await client.download(path);
  expect(status).toBe(200);
  const [titles = [], ...rows] = await rowsOf(data);
  const numbers = new Map(ours.map(({ _id, number }) => [_id, number]));
  expect(titles.slice(0, 2)).toEqual(['Numéro', 'Titre']);
  expect(rows.map(([number]) => number)).toEqual((await pagesOf(query)).map((id) => numbers.get(id)));
  expect(String(rows[0]?.[1])).toMatch(format === 'csv' ? /^'=Fuite/ : /^=Fuite/);
  // Codes are words, those that are shown in the console.
  const ofColumn = (title: string) => new Set(rows.map((row) => row[titles.indexOf(title as never)]));
  expect(ofColumn('Statut')).toEqual(new Set(['À affecter', 'Ouvert']));
  expect(ofColumn('Priorité')).toEqual(new Set(['Haute', 'Moyenne', 'Basse', 'Aucune']));
});

test('contractors cannot ask when others work, or for how much', async () => {
  const contractor = platform.as({ companyKind: 'contractor' });
  for (const query of [
    'sort=work_date',
    `work_after=${+day(1)}`,
    `work_before=${+day(1)}`,
    'quote_from=1',
    'quote_to=1',
  ]) {
    for (const path of [list, `${list}/export`]) {
      const { status, data } = await contractor.get(`${path}?${query}`);
      expect([query, status, data.code]).toEqual([query, 403, 'clients_only']);
    }
  }
});

test('a file has the work dates by which it is sorted', async () => {
  const sheet = await client.download(`${list}/export?format=xlsx&language=en&sort=work_date&order=asc`);
  const [titles = [], ...rows] = await rowsOfXlsx(sheet.data);
  const dates = rows.map((row) => row[titles.indexOf('Visit or work (UTC)' as never)] as unknown as Date | null);
  const expected = ours.flatMap(({ work_at }) => (work_at ? [work_at.getTime()] : [])).sort((a, b) => a - b);
  // As days and their parts, which is not exact.
  const found = dates.flatMap((date) => (date ? [Math.round(date.getTime() / 60_000) * 60_000] : []));
  expect(found).toEqual(expected);
  expect(dates).toHaveLength(ours.length);
});

test('a user who is limited to places sorts and exports the tickets there', async () => {
  const limited = platform.as({ ...client.caller, placeIds: [place] });
  const there = ours.filter(({ location_ids }) => location_ids.includes(place)).map(({ number }) => number);
  for (const sort of sortColumns(ticketList)) {
    const { tickets } = (await limited.get(`${list}?limit=200&sort=${sort}`)).data;
    expect(tickets.map(({ number }: { number: string }) => number).sort()).toEqual(there);
  }
  const [, ...rows] = rowsOfCsv((await limited.download(`${list}/export`)).data, ',');
  expect(rows.map(([number]) => number)).toEqual(there);
});

test('a cursor is for its own order', async () => {
  const { cursor } = (await client.get(`${list}?limit=1&sort=priority`)).data;
  const [other, byId] = [
    await client.get(`${list}?sort=updated_at&cursor=${cursor}`),
    await client.get(`${list}?cursor=${cursor}`),
  ];
  expect([other.status, other.data.code]).toEqual([422, 'invalid_cursor']);
  expect([byId.status, byId.data.errors]).toEqual([
    422,
    [{ path: 'cursor', message: 'cursor must be 24 hexadecimal characters' }],
  ]);
});

test('a change of priority, dates or quotes moves the ticket in these orders', async () => {
  const ticket = ours[0] as Ticket;
  const body = { priority: 'high' };
  expect((await client.patch(`${list}/${ticket._id}`, body)).status).toBe(200);
  const stored = await ticketCollection(platform.connection).findOne({ _id: ticket._id });
  expect(stored?.priority_rank).toBe(3);
  expect(new Set((await pagesOf('sort=priority&order=desc')).slice(0, 16))).toContain(ticket._id);
});
