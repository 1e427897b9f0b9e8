import type { Ticket } from '@app/ticket/tickets/ticket.ts';
import { bearer, callerOf, internalToken } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { flushToDisk } from '../harness/in-batches.ts';
import { prepareRequest } from '../harness/load.ts';
import { measureRounds } from '../harness/measure-rounds.ts';
import { portOf } from '../harness/servers.ts';
import { medianSample, type Sample } from '../harness/statistics.ts';
import { againstAim, count, decimals, printTable } from '../harness/table.ts';
import { ticketsPath } from './ticket-pool.ts';
import { type Population, populate } from './ticket-population.ts';
import { type Query, queries } from './ticket-queries.ts';
import { ticketStatistics } from './ticket-statistics.ts';

const small = 1_000;
const aim = 1.5;

type Tokens = Record<Query['as'], string>;

/** The same reads and filters on few and then on many tickets of one client: no query may scan. Then its figures. */
export async function ticketGrowth(bench: Bench): Promise<void> {
  const few = await measureAll(bench, small);
  const many = await measureAll(bench, bench.million);
  const rows = queries.map(({ name, matches }, index) => {
    const [fewer, more] = [few, many].map(({ p50 }) => p50[index]) as [number, number];
    const figures = [fewer, more, more / fewer].map((value) => decimals(value, 2));
    const matching = matches === null ? '' : String(matches);
    return [name, matching, ...figures, againstAim(more / fewer, { most: aim }, 1)];
  });
  const names = ['asked', 'matching', `p50 ms at ${count(small)}`, `at ${count(bench.million)}`, 'ratio', 'aim'];
  printTable('Growth: tickets of one client, one request at a time', names, rows);
  await ticketStatistics(bench, many.population);
}

/** Adds a client with so many tickets. @returns it, and the p50 of each query in milliseconds */
async function measureAll(bench: Bench, size: number) {
  const { platform, client, progress } = bench;
  const population = await populate(client.db('ticket').collection<Ticket>('tickets'), size, progress);
  await flushToDisk(client);
  // Figures are for sessions alone.
  const tokenOf = (companyId: string, kind: Query['as']) => {
    const caller = callerOf({ companyId, name: 'Bench growth', kind, userId: companyId });
    return internalToken(platform, { ...caller, via: 'session' });
  };
  const tokens: Tokens = {
    client: await tokenOf(population.client, 'client'),
    contractor: await tokenOf(population.contractor, 'contractor'),
  };
  const port = portOf(platform, 'ticket');
  const p50: number[] = [];
  for (const query of queries) {
    progress(`${query.name} of ${count(size)}, ${bench.rounds} rounds`);
    await checkMatches(query, { population, port, tokens });
    const token = tokens[query.as];
    const list = query.paths(population).map((path) => prepareRequest({ path: `${ticketsPath}${path}`, token }));
    // One request at a time: the work of one query is measured, not a queue.
    const [samples] = await measureRounds(bench, [], [{ port, connections: 1, unit: 1, lists: [list] }]);
    p50.push(medianSample(samples as Sample[]).p50);
  }
  return { population, tokens, p50 };
}

type Asked = { population: Population; port: number; tokens: Tokens };

/** The comparison means something only if the filter matches as many tickets in both. @throws Error otherwise */
async function checkMatches({ name, as, paths, matches }: Query, { population, port, tokens }: Asked): Promise<void> {
  if (matches === null) return;
  const [path = ''] = paths(population);
  const url = `http://127.0.0.1:${port}${ticketsPath}${path}&limit=200`;
  const response = await fetch(url, { headers: bearer(tokens[as]) });
  const { tickets = [] } = (await response.json()) as { tickets?: unknown[] };
  if (tickets.length === matches) return;
  throw new Error(`${name} matches ${tickets.length} of ${population.size} tickets, not ${matches}`);
}
