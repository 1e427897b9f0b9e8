import { newId } from '@app/kernel';
import { addEntries, type Sums } from '@app/service/entries';
import { createTicket } from '@app/ticket/creation/create-ticket.ts';
import { assign, finish } from '@app/ticket/moves/moves.ts';
import { ticketEntries } from '@app/ticket/statistics/ticket-entries.ts';
import { type HistoryEntry, historyEntries } from '@app/ticket/tickets/history.ts';
import type { Ticket } from '@app/ticket/tickets/ticket.ts';
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
const [places, contractors] = [500, 200];
/** One ticket of so many is still open. */
const openShare = 20;

const asked = [
  'open?group_by=age',
  'open?group_by=place',
  'spend?group_by=month',
  'spend?group_by=place,month',
  'commitments?group_by=month',
  'contractors?group_by=contractor',
  'contractors',
];

/** Figures of a client with a million tickets. */
export async function ticketStatistics(
  bench: Bench,
  { population, token }: { population: Population; token: string },
): Promise<void> {
  const size = population.ids.length;
  bench.progress(`counting ${count(size)} tickets in memory`);
  const rows = rowsOf(population);
  await insertRows(bench, rows);
  const shown: string[][] = [];
  for (const question of asked) {
    bench.progress(`statistics: ${question}`);
    const list = [prepareRequest({ path: `/statistics/tickets/${question}`, token })];
    const run = { port: portOf(bench.platform, 'ticket'), connections: 1, unit: 1, lists: [list] };
    const [samples] = await measureRounds(bench, [], [run]);
    const { p50, p99 } = medianSample(samples as Sample[]);
    shown.push([question, decimals(p50, 1), decimals(p99, 1), againstAim(p99, { most: aimMs }, 0)]);
  }
  const title = `Statistics: ${count(size)} tickets of one client, ${count(rows.size)} rows`;
  printTable(title, ['asked', 'p50 ms', 'p99', 'aim of p99'], shown);
}

/** The rows of as many tickets, nearly all of them finished and invoiced, as the service would count them. */
function rowsOf({ client, size, createdAt }: Population): Map<string, Sums> {
  const rows = new Map<string, Sums>();
  const actor = clientActor(client);
  const placeIds = Array.from({ length: places }, () => newId());
  const candidates = Array.from({ length: contractors }, () => ({ id: newId(), company_id: null }));
  for (let index = 0; index < size; index++) {
    const place = placeIds[index % places] as string;
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
