import { markEmptyDatabase } from '@app/service/migrations';
import type { Ticket } from '@app/ticket/tickets/ticket.ts';
import type { Db } from 'mongodb';
import { bearer, callerOf, internalToken } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { prepareRequest } from '../harness/load.ts';
import { measureRounds } from '../harness/measure-rounds.ts';
import { makeRoomFor, portOf, startOwnService } from '../harness/servers.ts';
import { medianRatio, medianSample, type Sample } from '../harness/statistics.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { ticketsPath } from './ticket-pool.ts';
import { type Population, populate } from './ticket-population.ts';
import { type Query, queries } from './ticket-queries.ts';
import { ticketStatistics } from './ticket-statistics.ts';

const small = 1_000;
const aim = 1.5;
/** One request at a time: the work of one query is measured, not a queue. */
const connections = 1;

/** A population, behind a ticket service and a database of its own. */
type LoadedService = { population: Population; database: Db; port: number; tokens: Record<Query['as'], string> };

/** The same reads and filters on few and on many tickets of one client: no query may scan. Then its figures. */
export async function ticketGrowth(bench: Bench): Promise<void> {
  const [few, many] = [await startWithTickets(bench, small), await startWithTickets(bench, bench.million)];
  const both = [few, many];
  const rows: string[][] = [];
  for (const query of queries) {
    bench.progress(`${query.name}, ${bench.rounds} rounds`);
    for (const one of both) await checkMatches(query, one);
    rows.push(await compare(bench, query, both));
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
  await ticketStatistics(bench, many);
}

async function startWithTickets(bench: Bench, size: number): Promise<LoadedService> {
  const { platform, client, progress } = bench;
  const service = { name: 'ticket', namespace: `bench-${size}-` } as const;
  await makeRoomFor(bench, service);
  const database = client.db(`${service.namespace}ticket`);
  await markEmptyDatabase(database);
  const population = await populate(database.collection<Ticket>('tickets'), size, progress);
  progress(`building the indexes of ${count(size)} tickets, and starting a ticket service on them`);
  const { port } = await startOwnService(bench, service, {
    DOWNLOAD_LINK_KEYS: platform.keys['DOWNLOAD_LINK_KEYS'],
    PUBLIC_TICKET_API_URL: platform.ticketApi,
    PUBLIC_DOWNLOAD_URL: platform.ticketApi,
    IDENTITY_URL: `http://127.0.0.1:${portOf(platform, 'identity')}`,
  });
  const tokenOf = (companyId: string, kind: Query['as']) =>
    internalToken(platform, callerOf({ companyId, name: 'Bench growth', kind, userId: companyId }));
  const tokens = {
    client: await tokenOf(population.client, 'client'),
    contractor: await tokenOf(population.contractor, 'contractor'),
  };
  return { population, database, port, tokens };
}

async function compare(bench: Bench, { name, as, paths, matches }: Query, both: LoadedService[]): Promise<string[]> {
  const runs = both.map(({ port, population, tokens }) => ({
    port,
    connections,
    unit: 1,
    lists: [paths(population).map((path) => prepareRequest({ path: `${ticketsPath}${path}`, token: tokens[as] }))],
  }));
  const measured = await measureRounds(bench, null, runs);
  const [few, many] = measured.map(({ samples }) => samples) as [Sample[], Sample[]];
  const ratio = medianRatio(many, few, 'p50');
  return [
    name,
    matches === null ? '' : String(matches),
    decimals(medianSample(few).p50, 2),
    decimals(medianSample(many).p50, 2),
    decimals(ratio, 2),
    againstAim(ratio, { most: aim }, 1),
  ];
}

/** The comparison means something only if the filter matches as many tickets in both. @throws Error otherwise */
async function checkMatches(
  { name, as, paths, matches }: Query,
  { population, port, tokens }: LoadedService,
): Promise<void> {
  if (matches === null) return;
  const [path = ''] = paths(population);
  const url = `http://127.0.0.1:${port}${ticketsPath}${path}&limit=200`;
  const response = await fetch(url, { headers: bearer(tokens[as]) });
  const { tickets = [] } = (await response.json()) as { tickets?: unknown[] };
  if (tickets.length === matches) return;
  throw new Error(`${name} matches ${tickets.length} of ${population.size} tickets, not ${matches}`);
}
