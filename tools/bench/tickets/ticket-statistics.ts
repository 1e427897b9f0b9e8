import type { Caller } from '@app/contracts';
import { newId } from '@app/kernel';
import { addEntries, type Sums } from '@app/service/entries';
import { createTicket } from '@app/ticket/creation/create-ticket.ts';
import { assign, finish } from '@app/ticket/moves/moves.ts';
import { ticketEntries } from '@app/ticket/statistics/ticket-entries.ts';
import { type HistoryEntry, historyEntries } from '@app/ticket/tickets/history.ts';
import type { Ticket } from '@app/ticket/tickets/ticket.ts';
import type { Db } from 'mongodb';
import { callerOf, internalToken } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { insertInBatches, unordered } from '../harness/in-batches.ts';
import { prepareRequest } from '../harness/load.ts';
import { measureRounds } from '../harness/measure-rounds.ts';
import { portOf } from '../harness/servers.ts';
import { medianSample, type Sample } from '../harness/statistics.ts';
import { againstAim, count, decimals, printTable } from '../harness/table.ts';
import { newTicket } from './ticket-pool.ts';
import { clientActor, type Population } from './ticket-population.ts';

const aimMs = 100;
const [placeCount, contractors] = [500, 200];
/** One ticket of so many is still open. */
const openShare = 20;

/** The questions, and the same asked of the tickets by a scan, where they alone have the answer. */
const asked: [path: string, scan: string | null][] = [
  ['open?group_by=age', '$status'],
  ['open?group_by=place', '$location_ids'],
  ['spend?group_by=month', null],
  ['spend?group_by=place,month', null],
  ['commitments?group_by=month', null],
  ['contractors?group_by=contractor', null],
  ['contractors', null],
];
/** Asked by a user who is limited to some places. */
const askedOfPlaces = ['open?group_by=age', 'spend?group_by=month', 'contractors?group_by=contractor'];
const limitedTo = 10;

/** Figures of a client with a million tickets, beside a scan of its tickets. */
export async function ticketStatistics(bench: Bench, population: Population): Promise<void> {
  const { ids, client } = population;
  const database = bench.client.db('ticket');
  const places = ids.slice(0, placeCount);
  const caller = callerOf({ companyId: client, name: 'Bench growth', kind: 'client', userId: client });
  const tokenOf = (given: Partial<Caller>) => internalToken(bench.platform, { ...caller, via: 'session', ...given });
  const [token, limited] = [await tokenOf({}), await tokenOf({ placeIds: places.slice(0, limitedTo) })];
  const size = ids.length;
  bench.progress(`counting ${count(size)} tickets in memory`);
  const rows = rowsOf(population, places);
  const locations = places.map((_id) => ({ _id, client_id: client, kind: 'location', parent_id: null }));
  await database.collection<{ _id: string }>('referentials').insertMany(locations);
  await insertRows(bench, rows);
  const shown: string[][] = [];
  const ofPlaces = askedOfPlaces.map((question) => ({
    question,
    scanned: null,
    of: `${limitedTo} places`,
    as: limited,
  }));
  const ofAll = asked.map(([question, scanned]) => ({ question, scanned, of: 'all', as: token }));
  for (const { question, scanned, of, as } of [...ofAll, ...ofPlaces]) {
    bench.progress(`statistics: ${question}`);
    const list = [prepareRequest({ path: `/statistics/tickets/${question}`, token: as })];
    const run = { port: portOf(bench.platform, 'ticket'), connections: 1, unit: 1, lists: [list] };
    const [samples] = await measureRounds(bench, [], [run]);
    const { p50, p99 } = medianSample(samples as Sample[]);
    const scan = scanned === null ? '' : count(await scanMs(database, client, scanned));
    shown.push([question, of, decimals(p50, 1), decimals(p99, 1), scan, againstAim(p99, { most: aimMs }, 0)]);
  }
  const title = `Statistics: ${count(size)} tickets of one client, ${count(rows.size)} rows`;
  printTable(title, ['asked', 'of', 'p50 ms', 'p99', 'by a scan', 'aim of p99'], shown);
}

/** The rows of as many tickets, nearly all of them finished and invoiced, as the service would count them. */
function rowsOf({ client, size, createdAt }: Population, places: readonly string[]): Map<string, Sums> {
  const rows = new Map<string, Sums>();
  const actor = clientActor(client);
  const candidates = Array.from({ length: contractors }, () => ({ id: newId(), company_id: null }));
  for (let index = 0; index < size; index++) {
    const place = places[index % placeCount] as string;
    const contractor = candidates[(index * 7) % contractors];
    const at = (minutes: number) => new Date(createdAt(index) + minutes * 60_000);
    const input = { ...newTicket, location_ids: [place] };
    let ticket = createTicket(
      { input, number: `T-${index}`, client: { _id: client, name: 'Bench' }, by: actor.user },
      at(0),
    );
    const history: HistoryEntry[] = [];
    const change = (after: Ticket) => {
      history.push(...historyEntries(ticket, after, { operation: 'edit', by: null }));
      ticket = after;
    };
    if (contractor) change(assign(ticket, actor, at(index % 3_000), { contractor }).ticket);
    const isDone = index % openShare > 0;
    if (isDone) change(finish(ticket, actor, at((index * 31) % 40_000), { reserve: null }).ticket);
    const view_id = ticket.views[1]?._id ?? '';
    const supplier = { name: null, siren: null, siret: null };
    const price = { reference: 'F', price: '1', amounts: { ht: (index % 90_000) / 100, tva: 0, ttc: 0 } };
    const line = { _id: 'l', client_id: client, version: 1, ticket_id: ticket._id, view_id, supplier, ...price };
    const lines = isDone ? [{ ...line, supplier_status: null, added_at: at(50_000).toISOString() }] : [];
    addEntries(rows, ticketEntries({ ticket, history, purchases: [], lines }), 1);
  }
  return rows;
}

/** As the service stores them (libs/service/statistics). */
async function insertRows({ client, progress }: Bench, rows: Map<string, Sums>) {
  const stored = client.db('ticket').collection<{ _id: string }>('statistics');
  const all = [...rows];
  await insertInBatches({ size: all.length, what: 'rows', progress }, async (from, length) => {
    const batch = all.slice(from, from + length).map(([key, { minutes, ...sums }]) => {
      return { _id: `000000|${key}`, ...sums, ...(minutes.size > 0 ? { m: Object.fromEntries(minutes) } : {}) };
    });
    await stored.insertMany(batch, unordered);
  });
}

/** How long MongoDB takes to group the tickets of the client by this field, once. */
async function scanMs(database: Db, client: string, field: string): Promise<number> {
  const began = performance.now();
  await database
    .collection('tickets')
    .aggregate([{ $match: { client_id: client } }, { $group: { _id: field, count: { $sum: 1 } } }])
    .toArray();
  return performance.now() - began;
}
