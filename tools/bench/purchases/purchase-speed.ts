import { freePort } from '@app/infra';
import { MongoClient } from 'mongodb';
import { makeAccount } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { type CpuMeter, type CpuTimes, cpuPerRequest, cpuUsed, createCpuMeter } from '../harness/cpu-meter.ts';
import { flushToDisk } from '../harness/flush-to-disk.ts';
import { type PreparedRequest, prepareRequest, uniqueNumber } from '../harness/load.ts';
import { gatewayPort } from '../harness/platform.ts';
import { startServer } from '../harness/processes.ts';
import { medianRatio, medianSample, type Sample } from '../harness/statistics.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { makeTickets, ticketsPath } from '../tickets/ticket-pool.ts';
import { populatePurchases } from './purchase-population.ts';

const connections = 32;
/** A ticket takes 200 documents: enough tickets for any run. */
const ticketPool = 3_000;
const warmUpMs = 2_000;
const bareDatabase = 'bench-bare-purchases';
const progressEvery = 100_000;
const growthAim = 1.5;

const order = { kind: 'purchase_order', source_system: 'bench', amount: 1284.5 };

/** `aim`: the least share of the bare server's inserts/s. */
type WriteCase = { name: string; port: number; requests: PreparedRequest[]; aim: number | null };
type Measured = { way: WriteCase; samples: Sample[]; cpu: CpuTimes };

/**
 * Creations and replays (the same document again) through the gateway, compared with a bare server that inserts one document;
 * first with few documents, then with a million.
 */
export async function purchaseSpeed(bench: Bench): Promise<void> {
  const { platform, rounds } = bench;
  const client = await MongoClient.connect(platform.mongodb);
  bench.onEnd(() => client.close());
  const account = await makeAccount(platform, 'Bench purchases');
  bench.progress(`creating ${count(ticketPool)} tickets`);
  const ids = await makeTickets(platform, account, ticketPool);
  const bare = await startBare(bench, client, account.caller.companyId);
  const gateway = { port: gatewayPort(platform), token: account.apiToken };
  const ways: WriteCase[] = [
    { name: 'bare insert', port: bare.port, requests: posts(ids, { reference: uniqueNumber }), aim: null },
    {
      name: 'creation',
      port: gateway.port,
      requests: posts(ids, { reference: uniqueNumber }, gateway.token),
      aim: 0.25,
    },
    { name: 'replay', port: gateway.port, requests: replays(ids, gateway.token), aim: 0.35 },
  ];
  const meter = createCpuMeter({ pids: { ...platform.pids, bare: bare.pid }, client });
  await createReplayed(bench, ways);
  bench.progress(`few documents, ${rounds} rounds`);
  const few = await measure({ bench, meter }, ways);
  bench.progress(`adding ${count(bench.million)} documents`);
  const { companyId } = account.caller;
  await populatePurchases({
    ...{ client, companyId, size: bench.million },
    progress: (done) =>
      done % progressEvery === 0 && bench.progress(`${count(done)} of ${count(bench.million)} documents`),
  });
  await flushToDisk(client);
  bench.progress(`many documents, ${rounds} rounds`);
  const many = await measure({ bench, meter }, ways);
  printTable(bench, few, many);
}

function posts(ids: string[], more: object, token?: string): PreparedRequest[] {
  const base = token ? ticketsPath : '/tickets';
  return ids.map((id) =>
    prepareRequest({
      method: 'POST',
      path: `${base}/${id}/purchases`,
      body: { ...order, ...more },
      status: 201,
      ...(token ? { token } : {}),
    }),
  );
}

/** One order for each of a few tickets, sent repeatedly. */
function replays(ids: string[], token: string): PreparedRequest[] {
  return posts(ids.slice(0, connections), { reference: 'AGAIN' }, token).map((request) => ({
    ...request,
    status: 200,
  }));
}

/** Creates the documents that are replayed. */
async function createReplayed({ load }: Bench, ways: WriteCase[]): Promise<void> {
  for (const { port, requests } of ways.filter(({ name }) => name === 'replay')) {
    const lists = requests.map((request) => [{ ...request, status: 201 }]);
    await load.run({ port, connections, lists, unit: 1, durationMs: 0 });
  }
}

type Measuring = { bench: Bench; meter: CpuMeter };

/** Each round measures every case once, one after the other, so that other load on the machine affects all alike. */
async function measure({ bench, meter }: Measuring, ways: WriteCase[]): Promise<Measured[]> {
  const measured = ways.map((way): Measured => ({ way, samples: [], cpu: {} }));
  for (let round = 0; round <= bench.rounds; round++) {
    for (const { way, samples, cpu } of measured) {
      await meter.untilIdle();
      const before = await meter.read();
      const run = { port: way.port, connections, lists: [way.requests], unit: 1 };
      // The first round warms up and does not count.
      const sample = await bench.load.run({ ...run, durationMs: round === 0 ? warmUpMs : bench.roundMs });
      if (round === 0) continue;
      samples.push(sample);
      for (const [name, used] of Object.entries(cpuUsed(before, await meter.read())))
        cpu[name] = (cpu[name] ?? 0) + used;
    }
  }
  return measured;
}

function printTable(bench: Bench, few: Measured[], many: Measured[]): void {
  const rows = few.map(({ way, samples, cpu }, index) => {
    const { perSecond, p50, p99 } = medianSample(samples);
    const ratio = medianRatio(samples, few[0]?.samples as Sample[], 'perSecond');
    const later = many[index]?.samples as Sample[];
    const growth = medianRatio(samples, later, 'perSecond');
    return [
      way.name,
      count(perSecond),
      decimals(p50, 2),
      decimals(p99, 2),
      way.aim === null ? '' : decimals(ratio, 2),
      way.aim === null ? '' : againstAim(ratio, { least: way.aim }),
      count(medianSample(later).perSecond),
      way.aim === null ? decimals(growth, 2) : `${decimals(growth, 2)} ${againstAim(growth, { most: growthAim }, 1)}`,
      cpuPerRequest(
        cpu,
        samples.reduce((sum, sample) => sum + sample.requests, 0),
      ),
    ];
  });
  const columns = [
    ...[text('purchases'), figure('requests/s'), figure('p50 ms'), figure('p99 ms'), figure('ratio'), text('aim')],
    ...[figure(`at ${count(bench.million)}`), text('growth'), text('processor time a request, ms')],
  ];
  bench.print(table(`Purchases: ${connections} connections, median of ${bench.rounds} rounds`, columns, rows));
}

async function startBare({ processes, root, platform, onEnd: atEnd }: Bench, client: MongoClient, companyId: string) {
  const database = client.db(bareDatabase);
  await database.dropDatabase();
  atEnd(async () => void (await database.dropDatabase()));
  const port = await freePort();
  const env = {
    ...{ NODE_ENV: 'production', BARE_URL: platform.mongodb, BARE_DATABASE: bareDatabase },
    ...{ BARE_PORT: String(port), BARE_COMPANY: companyId },
  };
  const program = 'tools/bench/harness/bare-server.ts';
  const { pid } = await startServer({ processes, root, program, env, ready: { port, path: '/ready' } });
  return { port, pid };
}
