import type { Ticket } from '@app/ticket/tickets/ticket.ts';
import { MongoClient } from 'mongodb';
import type { Bench } from '../harness/bench.ts';
import { type PreparedRequest, prepareRequest } from '../harness/load/load.ts';
import { medianRatio, medianSample, type Sample } from '../harness/load/statistics.ts';
import { callerOf, internalToken } from '../harness/platform/accounts.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { ticketsPath } from './ticket-pool.ts';
import { type Population, populate } from './ticket-population.ts';
import { type Query, queries } from './ticket-queries.ts';
import { startTicketService } from './ticket-service.ts';

const small = 1_000;
const aim = 1.5;
const warmUpMs = 500;
const progressEvery = 100_000;
/** One request at a time: the work of one query is measured, not a queue. */
const connections = 1;

/** A population, behind a ticket service and a database of its own. */
type LoadedService = { population: Population; port: number; tokens: Record<Query['as'], string> };

/** The same reads and filters on few and on many tickets of one client: no query may scan. */
export async function ticketGrowth(bench: Bench): Promise<void> {
  const few = await startWithTickets(bench, small);
  const many = await startWithTickets(bench, bench.million);
  const rows: string[][] = [];
  for (const query of queries) {
    bench.progress(`${query.name}, ${bench.rounds} rounds`);
    rows.push(await compare(bench, query, [few, many]));
  }
  const columns = [
    text('asked'),
    figure('matching'),
    figure(`p50 ms at ${count(small)}`),
    figure(`at ${count(bench.million)}`),
    figure('ratio'),
    text('aim'),
  ];
  bench.print(table('Growth: tickets of one client, one request at a time', columns, rows));
}

async function startWithTickets(bench: Bench, size: number): Promise<LoadedService> {
  const { platform } = bench;
  const namespace = `bench-${size}-`;
  const client = await MongoClient.connect(platform.mongodb);
  const database = client.db(`${namespace}ticket`);
  await database.dropDatabase();
  bench.onEnd(async () => {
    await database.dropDatabase();
    await client.db(`${namespace}storage`).dropDatabase();
    await client.close();
  });
  const population = await populate(database.collection<Ticket>('tickets'), size, (done) => {
    if (done % progressEvery === 0) bench.progress(`${count(done)} of ${count(size)} tickets`);
  });
  bench.progress(`building the indexes of ${count(size)} tickets, and starting a ticket service on them`);
  const { port, pid } = await startTicketService(bench, namespace);
  bench.measureMemoryOf(`ticket, ${count(size)}`, pid);
  const tokenOf = (companyId: string, kind: Query['as']) =>
    internalToken(platform, callerOf({ companyId, name: 'Bench growth', kind, userId: companyId }));
  const tokens = {
    client: await tokenOf(population.client, 'client'),
    contractor: await tokenOf(population.contractor, 'contractor'),
  };
  return { population, port, tokens };
}

async function compare(bench: Bench, query: Query, grown: [LoadedService, LoadedService]): Promise<string[]> {
  const samples: [Sample[], Sample[]] = [[], []];
  for (const one of grown) await checkMatches(query, one);
  for (let round = 0; round <= bench.rounds; round++) {
    for (const [index, one] of grown.entries()) {
      const run = { port: one.port, connections, unit: 1, lists: [requests(query, one)] };
      // The first round brings the documents into memory and does not count.
      const sample = await bench.load.run({ ...run, durationMs: round === 0 ? warmUpMs : bench.roundMs });
      if (round > 0) samples[index]?.push(sample);
    }
  }
  const ratio = medianRatio(samples[1], samples[0], 'p50');
  return [
    query.name,
    query.matches === null ? '' : String(query.matches),
    decimals(medianSample(samples[0]).p50, 2),
    decimals(medianSample(samples[1]).p50, 2),
    decimals(ratio, 2),
    againstAim(ratio, { most: aim }, 1),
  ];
}

function requests(query: Query, { population, tokens }: LoadedService): PreparedRequest[] {
  return query
    .paths(population)
    .map((path) => prepareRequest({ path: `${ticketsPath}${path}`, token: tokens[query.as] }));
}

/** The comparison means something only if the filter matches as many tickets in both. @throws Error otherwise */
async function checkMatches(
  { name, as, paths, matches }: Query,
  { population, port, tokens }: LoadedService,
): Promise<void> {
  if (matches === null) return;
  const [path = ''] = paths(population);
  const url = `http://127.0.0.1:${port}${ticketsPath}${path}&limit=200`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${tokens[as]}` } });
  const { tickets = [] } = (await response.json()) as { tickets?: unknown[] };
  if (tickets.length === matches) return;
  throw new Error(`${name} matches ${tickets.length} of ${population.size} tickets, not ${matches}`);
}
