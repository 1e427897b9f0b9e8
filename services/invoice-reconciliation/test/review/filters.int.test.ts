import { readSheetPage } from '@app/http/lists';
import { type Column, newId, sortColumns, valueAt } from '@app/kernel';
import { rowsOfCsv, rowsOfXlsx } from '@app/testing';
import type { Invoice } from '../../invoices/invoice.ts';
import { invoiceList } from '../../invoices/invoice-list.ts';
import { ticketCollections } from '../../projections/ticket-collections.ts';
import { TicketProjectionStore } from '../../projections/ticket-projection-store.ts';
import { createInvoiceLists } from '../../review/invoice-list-store.ts';
import { odd, quiet, useService, type World } from '../reconciliation.ts';

type Stored = Invoice & { words?: string[]; supplier_order?: string | null };

const service = useService(quiet);
let world: World;
const columns: Column[] = Object.values(invoiceList.columns);
let ours: Stored[];

const pick = <T>(of: readonly T[], index: number): T => of[index % of.length] as T;
const day = (index: number) => `2026-10-${String(1 + (index % 28)).padStart(2, '0')}`;
const euros = (index: number) => (index % 7) * 100 + 61.25;

/** Invoices with ties and gaps in every column, as many of a neighbour, and one that the provider deleted. */
beforeAll(async () => {
  world = await service.world({ location_ids: [newId()] });
  const first = (await service.ingest(world.id, { amounts: odd })) as Stored & { outbox?: unknown };
  const { outbox: _sent, ...invoice } = first;
  const supplier = newId();
  const clones = Array.from({ length: 60 }, (_, index): Stored => {
    const name = pick(['Électricité Dupont', 'Froid Service', null], index);
    const canonical = {
      ...(invoice.canonical as NonNullable<Invoice['canonical']>),
      kind: index % 10 === 3 ? ('credit_note' as const) : ('invoice' as const),
      number: `FA-${String(index % 40).padStart(3, '0')}`,
      issueDate: day(index),
      dueDate: index % 3 === 0 ? null : day(index * 3),
      currency: pick(['EUR', 'EUR', 'CHF'], index),
      amounts: { ht: euros(index), tva: 0.1, ttc: euros(index) + 0.1 },
      supplier: { ...(invoice.canonical as NonNullable<Invoice['canonical']>).supplier, name },
    };
    const isUnread = index % 20 === 19;
    return {
      ...invoice,
      _id: newId(),
      client_id: index % 2 === 0 ? world.id : newId(),
      external_id: newId(),
      claims: [],
      created_at: new Date(Date.UTC(2026, 10, 1, 0, 0, index % 25)),
      state: pick(['ticket_unmatched', 'linked', 'manual_review', 'done', 'error'] as const, index),
      reasons: pick([[], ['iban_changed'], ['duplicate_suspected', 'iban_changed']], index),
      provider: pick(['sandbox', 'mute'], index >> 1),
      supplier_id: pick([world.contractor.id, supplier, null], index >> 1),
      ticket_id: index % 4 === 0 ? world.ticket.id : null,
      canonical: isUnread ? null : canonical,
      supplier_order: isUnread || name === null ? null : name.replace('É', 'E').replace('é', 'e').toUpperCase(),
      due_at: null,
      rematch_at: null,
    };
  });
  const gone = { _id: newId(), client_id: world.id, provider: 'sandbox', external_id: newId(), gone_at: new Date() };
  await service.connection.collection('invoices').insertMany([...clones, gone] as never);
  const all = service.connection.collection<Stored>('invoices');
  ours = await all.find({ client_id: world.id, state: { $gt: '' as never } }).toArray();
  expect(ours).toHaveLength(31);
});

const find = async (path: string) => (await world.client.call('get', `/invoices${path}`)).data;

/** The ids of all pages. */
async function pagesOf(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null && ids.length < 40; ) {
    const data = await find(`/search?limit=9&${query}${cursor && `&cursor=${cursor}`}`);
    ids.push(...data.items.map(({ id }: { id: string }) => id));
    cursor = data.nextCursor;
  }
  return ids;
}

const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));

/** Each declared filter with a value that some have, and what it finds. */
function filters(): [query: string, matches: (invoice: Stored) => boolean][] {
  return columns.flatMap(({ path, equals, from, to, type }): [string, (invoice: Stored) => boolean][] => {
    const valued = ours.map((one) => valueAt(one, path)).filter((value) => value !== null && String(value) !== '');
    const some = [valued.flat()[Math.floor(valued.length / 2)]].flat()[0] as string | number | Date;
    const isIt = (one: Stored) => [valueAt(one, path)].flat().some((value) => textOf(value) === textOf(some));
    const isIn = (holds: (value: typeof some) => boolean) => (one: Stored) => {
      const value = valueAt(one, path);
      return value !== null && holds(value as typeof some);
    };
    return [
      ...(equals ? [[`${equals}=${textOf(some)}`, isIt] as [string, typeof isIt]] : []),
      ...(from ? [[`${from}=${textOf(some)}`, isIn((value) => value >= some)] as [string, typeof isIt]] : []),
      ...(to
        ? [
            [`${to}=${textOf(some)}`, isIn((value) => (type === 'moment' ? value < some : value <= some))] as [
              string,
              typeof isIt,
            ],
          ]
        : []),
    ];
  });
}

function sorted(found: Stored[], path: string, order: string): string[] {
  const before = (one: Stored, other: Stored) => {
    const [mine, its] = [one, other].map((invoice) => valueAt(invoice, path) as never);
    const [left, right] = [mine ?? '', its ?? ''].map((value) => ((value as unknown) instanceof Date ? +value : value));
    if (left === right) return one._id < other._id ? -1 : 1;
    return mine === null ? -1 : its === null ? 1 : (left as never) < (right as never) ? -1 : 1;
  };
  const ids = found.sort(before).map(({ _id }) => _id);
  return order === 'asc' ? ids : ids.reverse();
}

test.each(sortColumns(invoiceList).flatMap((sort) => [`${sort} asc`, `${sort} desc`]))(
  'by %s, every filter gives each invoice once, in order, page by page, and none of a neighbour',
  async (sorting) => {
    const [sort = '', order = ''] = sorting.split(' ');
    const { path } = invoiceList.columns[sort as keyof typeof invoiceList.columns];
    const cases = filters();
    expect(cases.length).toBeGreaterThan(13);
    for (const [query, matches] of [['', () => true] as const, ...cases]) {
      const expected = sorted(ours.filter(matches), path, order);
      expect([query, expected.length > 0]).toEqual([query, true]);
      expect([query, await pagesOf(`${query}&sort=${sort}&order=${order}`)]).toEqual([query, expected]);
    }
  },
);

test('filters combine, and a place finds the invoices on its tickets', async () => {
  const [place] = world.ticket.location_ids;
  const onTicket = ours.filter(({ ticket_id, state }) => ticket_id === world.ticket.id && state === 'linked');
  expect(onTicket.length).toBeGreaterThan(0);
  expect(await pagesOf(`place=${place}&state=linked&sort=createdAt&order=asc`)).toEqual(
    sorted(onTicket, 'created_at', 'asc'),
  );
  expect(await pagesOf(`place=${newId()}`)).toEqual([]);
  const site = newId();
  service.fakes.below.set(site, [String(place)]);
  expect(await pagesOf(`place=${site}&state=linked&sort=createdAt&order=asc`)).toEqual(
    sorted(onTicket, 'created_at', 'asc'),
  );
  expect((await find(`/totals?place=${site}&state=linked`)).items[0].count).toBeGreaterThan(0);
});

test('an amount, an order, a word of a line and the number of a ticket find the invoice', async () => {
  const invoice = await service.ingest(world.id, {
    number: 'FA-9',
    amounts: { ht: '217.71', tva: '43.54', ttc: '261.25' },
    references: { purchase_order: 'BC-77120' },
    lines: [{ label: 'Remplacement du compresseur', quantity: '1', unit_price: '217.71', ht: '217.71' }],
  });
  for (const q of ['261.25', '261,25', '217.71', 'BC-77120', '77120', 'compress', 'fa-9 261.25']) {
    const { items } = await find(`/search?q=${q}`);
    expect([q, items.map(({ id }: { id: string }) => id)]).toEqual([q, [invoice._id]]);
  }
  expect((await find('/search?purchaseOrder=bc%2077120')).items).toMatchObject([{ id: invoice._id }]);
  expect((await find('/search?purchaseOrder=BC-7712')).items).toEqual([]);
  const onTicket = ours.filter(({ ticket_id }) => ticket_id === world.ticket.id).map(({ _id }) => _id);
  expect((await pagesOf(`q=${world.ticket.number}`)).sort()).toEqual(onTicket.sort());
});

/** The invoices that other tests take in come later. */
const before = '2026-11-02T00:00:00.000Z';

test('totals are exact, by currency, with credit notes negative', async () => {
  const { items } = await find(`/totals?provider=sandbox&to=${before}`);
  const found = ours.filter(({ provider, created_at }) => provider === 'sandbox' && created_at < new Date(before));
  const byCurrency = Map.groupBy(found, ({ canonical }) => canonical?.currency ?? null);
  const cents = (all: Stored[], name: 'ht' | 'tva' | 'ttc') =>
    all.reduce((sum, { canonical }) => {
      const amount = Math.round((canonical?.amounts[name] ?? 0) * 100);
      return sum + (canonical?.kind === 'credit_note' ? -amount : amount);
    }, 0) / 100;
  expect(items).toHaveLength(byCurrency.size);
  for (const [currency, all] of byCurrency) {
    const [ht, tva, ttc] = (['ht', 'tva', 'ttc'] as const).map((name) => cents(all, name));
    expect(items).toContainEqual({ currency, count: all.length, ht, tva, ttc });
  }
  expect((await service.as().call('get', '/invoices/totals')).data).toEqual({ items: [] });
});

test.each(['csv', 'xlsx'] as const)('a %s holds what the search finds, in its order', async (format) => {
  const query = 'state=linked,done&sort=amount&order=asc';
  const { status, headers, data } = await world.client.download(
    `/invoices/export?${query}&format=${format}&language=fr`,
  );
  expect([status, headers['content-disposition']]).toEqual([200, `attachment; filename="invoices.${format}"`]);
  const [titles = [], ...rows] = format === 'csv' ? rowsOfCsv(data, ';') : await rowsOfXlsx(data);
  const ids = await pagesOf(query);
  expect(titles.slice(0, 3)).toEqual(['Fournisseur', 'SIREN', 'Numéro']);
  expect(rows.map((row) => row[titles.indexOf('Identifiant' as never)])).toEqual(ids);
  const tickets = rows.map((row) => row[titles.indexOf('Ticket' as never)]);
  expect(new Set(tickets)).toEqual(new Set([format === 'csv' ? '' : null, world.ticket.number]));
  // Codes are words, those that are shown in the console.
  const states = rows.map((row) => row[titles.indexOf('État' as never)]);
  expect(new Set(states)).toEqual(new Set(['Liée', 'Traitée']));
  const reasons = rows.map((row) => row[titles.indexOf('Motifs' as never)]);
  expect(reasons).toContain('Doublon possible, Autre IBAN');
});

test('the amounts of a file add up: a credit note counts less, whichever sign its document has, and is called one', async () => {
  const own = await service.world();
  const credit = (ttc: string) => ({ ht: ttc, tva: '0.00', ttc });
  for (const [kind, ttc] of [
    ['invoice', '100.00'],
    ['credit_note', '30.00'],
    ['credit_note', '-20.00'],
  ] as const)
    await service.ingest(own.id, { kind, amounts: credit(ttc) });
  const { data } = await own.client.download('/invoices/export?format=xlsx&language=en');
  const [titles = [], ...rows] = await rowsOfXlsx(data);
  const [kind, amount] = ['Kind', 'Amount with VAT'].map((title) => titles.indexOf(title as never)) as [number, number];
  expect(rows.map((row) => [row[kind], row[amount]]).sort()).toEqual([
    ['Credit note', -20],
    ['Credit note', -30],
    ['Invoice', 100],
  ]);
  const [total] = (await own.client.call('get', '/invoices/totals')).data.items;
  expect(total).toMatchObject({ ttc: 50, count: 3 });
  const { items } = (await own.client.call('get', '/invoices/search?sort=amount')).data;
  expect(items.map((one: { kind: string }) => one.kind).sort()).toEqual(['credit_note', 'credit_note', 'invoice']);
});

test.each([
  ['sort=note', 'sort'],
  ['amountFrom=x', 'amountFrom'],
  ['issuedTo=2026-02-30', 'issuedTo'],
  ['reason=bored', 'reason'],
  ['ticket=1', 'ticket'],
  ['place=x', 'place'],
])('%s is 422', async (query, path) => {
  const { status, data } = await world.client.call('get', `/invoices/search?${query}`);
  expect([status, data.errors[0].path]).toEqual([422, path]);
});

test('a cursor is refused for another order', async () => {
  const { nextCursor } = await find('/search?limit=1&sort=amount');
  for (const other of ['sort=number', 'sort=amount&order=asc', '']) {
    const { status, data } = await world.client.call('get', `/invoices/search?${other}&cursor=${nextCursor}`);
    expect([other, status, data.code]).toEqual([other, 422, 'invalid_cursor']);
  }
});

/** What a user of these places sees of ours: on no ticket, or on that of the world. */
const seenAt = (place: string) => {
  const isThere = world.ticket.location_ids?.includes(place) ?? false;
  return ours.filter(({ ticket_id }) => ticket_id === null || (isThere && ticket_id === world.ticket.id));
};

test('a user who is limited to places exports what it sees, and sorts by no hidden value', async () => {
  const limited = service.as({ ...world.client.caller, placeIds: [newId()] });
  const { status, data } = await limited.download('/invoices/export?language=en');
  expect(status).toBe(200);
  const [titles = [], ...rows] = rowsOfCsv(data, ',');
  const hidden = ours.filter(({ ticket_id }) => ticket_id === world.ticket.id).map(({ _id }) => _id);
  const ids = rows.map((row) => row[titles.indexOf('Id')]);
  expect(ids.length).toBeGreaterThan(10);
  expect(ids.filter((id) => hidden.includes(String(id)))).toEqual([]);
  for (const query of ['sort=amount', 'amountFrom=1']) {
    const refused = await limited.call('get', `/invoices/search?${query}`);
    expect([query, refused.status, refused.data.code]).toEqual([query, 403, 'limited_to_places']);
  }
});

test('totals of a user who is limited to places are of what it sees', async () => {
  const there = world.ticket.location_ids?.[0] ?? '';
  for (const place of [newId(), there]) {
    service.fakes.places.splice(0, service.fakes.places.length, place);
    const limited = service.as({ ...world.client.caller, placeIds: [place] });
    const { items } = (await limited.call('get', `/invoices/totals?currency=EUR&amountFrom=100&to=${before}`)).data;
    const seen = seenAt(place).filter(
      ({ canonical, created_at }) =>
        canonical?.currency === 'EUR' && canonical.amounts.ttc >= 100 && created_at < new Date(before),
    );
    const cents = seen.reduce((sum, { canonical }) => {
      const amount = Math.round((canonical?.amounts.ttc ?? 0) * 100);
      return sum + (canonical?.kind === 'credit_note' ? -amount : amount);
    }, 0);
    expect(items).toMatchObject([{ currency: 'EUR', count: seen.length, ttc: cents / 100 }]);
  }
  expect(seenAt(there).length).toBeGreaterThan(seenAt(newId()).length);
});

test('a file in the background is filtered by the places that it was asked for with', async () => {
  const { caller } = world.client;
  const wanted = { address: `/invoices/export?state=linked&place=${newId()}`, caller, after: null };
  const onTicket = ours.filter(({ ticket_id, state }) => ticket_id === world.ticket.id && state === 'linked');
  for (const [places, rows] of [
    [world.ticket.location_ids ?? [], onTicket.length],
    [[newId()], 0],
  ] as const) {
    const { lines } = await readSheetPage(service.app.routes, { ...wanted, places });
    // The first line is the head.
    expect(lines).toHaveLength(1 + rows);
  }
});

test('the tickets that decide what a limited user sees are looked up in batches, and totals of too many are refused', async () => {
  const tickets = new TicketProjectionStore({ connection: service.connection });
  const client_id = newId();
  const [here, there] = [newId(), newId()];
  const many = Array.from({ length: 2_500 }, (_, index) => ({
    _id: newId(),
    client_id: index === 7 ? newId() : client_id,
    location_ids: [index % 2 === 0 ? here : there],
  }));
  const { tickets: stored } = ticketCollections(service.connection);
  await stored.insertMany(many as never);
  const ids = many.map(({ _id }) => _id);
  const expected = many.filter((one) => one.client_id === client_id && one.location_ids[0] === there);
  const seen = await tickets.idsAt(client_id, ids, [there]);
  expect(seen).toEqual(new Set(expected.map(({ _id }) => _id)));
  const [one] = ours;
  const invoices = many.slice(0, 4).map(({ _id: ticket_id }) => {
    return { ...one, _id: newId(), client_id, ticket_id, external_id: newId(), claims: [] };
  });
  await service.connection.collection('invoices').insertMany(invoices as never);
  const totals = (maxOn: number) => {
    const lists = createInvoiceLists({ connection: service.connection, tickets: {} as never, maxOn });
    return lists.totals(client_id, {}, [], (asked) => tickets.idsAt(client_id, asked, [here]));
  };
  expect((await totals(4)).map(({ count }) => count)).toEqual([2]);
  await expect(totals(3)).rejects.toMatchObject({ kind: 'unprocessable', code: 'list_too_broad' });
});

test('a file in the background has the rows of the download, part by part, as its user sees them', async () => {
  const client_id = newId();
  const [one] = ours.filter(({ ticket_id }) => ticket_id === null);
  const many = Array.from({ length: 1_100 }, (_, index) => ({
    ...one,
    _id: newId(),
    client_id,
    external_id: newId(),
    claims: [],
    ticket_id: index % 3 === 0 ? world.ticket.id : null,
  }));
  await service.connection.collection('invoices').insertMany(many as never);
  const { caller } = service.as({ companyId: client_id, placeIds: [newId()] });
  const address = '/invoices/export?format=xlsx&language=en&sort=amount&order=asc';
  const { routes } = service.app;
  const found: unknown[] = [];
  let [after, parts]: [string | null, number] = [null, 0];
  for (; parts === 0 || after !== null; parts += 1) {
    const { lines, next } = await readSheetPage(routes, { address, caller, after });
    if (parts === 0)
      expect(lines.shift()).toMatchObject({ format: 'xlsx', language: 'en', columns: expect.any(Array) });
    found.push(...lines);
    after = next;
  }
  const ids = Object.values(columns)
    .filter(({ title }) => title)
    .findIndex(({ path }) => path === '_id');
  expect(found.map((cells) => (cells as string[])[ids]).sort()).toEqual(
    many.flatMap(({ _id, ticket_id }) => (ticket_id === null ? [_id] : [])).sort(),
  );
  expect(parts).toBe(3);
  const refusals: [string, object, string][] = [
    [address, { permissions: ['tickets'] }, 'forbidden'],
    [address, { companyKind: 'contractor' }, 'clients_only'],
    ['/invoices/search', {}, 'not_found'],
  ];
  for (const [asked, given, code] of refusals) {
    const wanted = { address: asked, caller: { ...caller, ...given }, after: null };
    await expect(readSheetPage(routes, wanted)).rejects.toMatchObject({ code });
  }
  await expect(readSheetPage(routes, { address: `${address}&state=bored`, caller, after: null })).rejects.toThrow(
    'Validation error',
  );
});
