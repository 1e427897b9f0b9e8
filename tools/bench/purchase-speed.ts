import { freePort } from '@app/infra';
import { MongoClient } from 'mongodb';
import { makeAccount } from './accounts.ts';
import type { Bench } from './bench.ts';
import { between, type CpuMeter, type CpuTimes, cpuPerRequest, createCpuMeter } from './cpu-meter.ts';
import { numberPlace, type PreparedRequest, prepared } from './load.ts';
import { onDisk } from './on-disk.ts';
import { gatewayPort } from './platform.ts';
import { startServer } from './processes.ts';
import { populatePurchases } from './purchase-population.ts';
import { medianRatio, medianSample, type Sample } from './statistics.ts';
import { aimed, count, decimals, figure, table, text } from './table.ts';
import { makeTickets, ticketsPath } from './ticket-pool.ts';

const connections = 32;
/** A ticket takes 200 documents: there are more than any run fills. */
const ticketPool = 3_000;
const warmUpMs = 2_000;
const bareDatabase = 'bench-bare-purchases';
const progressEvery = 100_000;
const growthAim = 1.5;

const order = { kind: 'purchase_order', source_system: 'bench', amount: 1284.5 };

/** A way to write, its requests, and the least share of the bare server's insert that it is to reach. */
type Way = { name: string; port: number; requests: PreparedRequest[]; aim: number | null };
type Measured = { way: Way; samples: Sample[]; cpu: CpuTimes };

/**
 * Creations and replays (the same document again) through the gateway beside a bare server that inserts one document, with
 * few documents there and with a million.
 */
export async function purchaseSpeed(bench: Bench): Promise<void> {
  const { platform, rounds } = bench;
  const client = await MongoClient.connect(platform.mongodb);
  bench.atEnd(() => client.close());
  const account = await makeAccount(platform, 'Bench purchases');
  bench.progress(`creating ${count(ticketPool)} tickets`);
  const ids = await makeTickets(platform, account, ticketPool);
  const bare = await startBare(bench, client, account.caller.companyId);
  const gateway = { port: gatewayPort(platform), token: account.apiToken };
  const ways: Way[] = [
    { name: 'bare insert', port: bare.port, requests: posts(ids, { reference: numberPlace }), aim: null },
    {
      name: 'creation',
      port: gateway.port,
      requests: posts(ids, { reference: numberPlace }, gateway.token),
      aim: 0.25,
    },
    { name: 'replay', port: gateway.port, requests: replays(ids, gateway.token), aim: 0.35 },
  ];
  const meter = createCpuMeter({ pids: { ...platform.pids, bare: bare.pid }, client });
  await prepare(bench, ways);
  bench.progress(`few documents, ${rounds} rounds`);
  const few = await measure({ bench, meter }, ways);
  bench.progress(`adding ${count(bench.million)} documents`);
  const { companyId } = account.caller;
  await populatePurchases({
    ...{ client, companyId, size: bench.million },
    progress: (done) =>
      done % progressEvery === 0 && bench.progress(`${count(done)} of ${count(bench.million)} documents`),
  });
  await onDisk(client);
  bench.progress(`many documents, ${rounds} rounds`);
  const many = await measure({ bench, meter }, ways);
  show(bench, few, many);
}

function posts(ids: string[], more: object, token?: string): PreparedRequest[] {
  const base = token ? ticketsPath : '/tickets';
  return ids.map((id) =>
    prepared({
      method: 'POST',
      path: `${base}/${id}/purchases`,
      body: { ...order, ...more },
      status: 201,
      ...(token ? { token } : {}),
    }),
  );
}

/** Each of a few tickets gets one order, and is sent it again and again. */
function replays(ids: string[], token: string): PreparedRequest[] {
  return posts(ids.slice(0, connections), { reference: 'AGAIN' }, token).map((request) => ({
    ...request,
    status: 200,
  }));
}

/** Creates what is replayed. */
async function prepare({ load }: Bench, ways: Way[]): Promise<void> {
  for (const { port, requests } of ways.filter(({ name }) => name === 'replay')) {
    const lists = requests.map((request) => [{ ...request, status: 201 }]);
    await load.run({ port, connections, lists, unit: 1, durationMs: 0 });
  }
}

type Measuring = { bench: Bench; meter: CpuMeter };

/** Each round asks every way once, one after the other, so that what else the machine does meets all alike. */
async function measure({ bench, meter }: Measuring, ways: Way[]): Promise<Measured[]> {
  const measured = ways.map((way): Measured => ({ way, samples: [], cpu: {} }));
  for (let round = 0; round <= bench.rounds; round++) {
    for (const { way, samples, cpu } of measured) {
      await meter.quiet();
      const before = await meter.read();
      const run = { port: way.port, connections, lists: [way.requests], unit: 1 };
      // The first round warms up and does not count.
      const sample = await bench.load.run({ ...run, durationMs: round === 0 ? warmUpMs : bench.roundMs });
      if (round === 0) continue;
      samples.push(sample);
      for (const [name, used] of Object.entries(between(before, await meter.read())))
        cpu[name] = (cpu[name] ?? 0) + used;
    }
  }
  return measured;
}

function show(bench: Bench, few: Measured[], many: Measured[]): void {
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
      way.aim === null ? '' : aimed(ratio, { least: way.aim }),
      count(medianSample(later).perSecond),
      way.aim === null ? decimals(growth, 2) : `${decimals(growth, 2)} ${aimed(growth, { most: growthAim }, 1)}`,
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

async function startBare({ processes, root, platform, atEnd }: Bench, client: MongoClient, companyId: string) {
  const database = client.db(bareDatabase);
  await database.dropDatabase();
  atEnd(async () => void (await database.dropDatabase()));
  const port = await freePort();
  const env = {
    ...{ NODE_ENV: 'production', BARE_URL: platform.mongodb, BARE_DATABASE: bareDatabase },
    ...{ BARE_PORT: String(port), BARE_COMPANY: companyId },
  };
  const program = 'tools/bench/bare-server.ts';
  const { pid } = await startServer({ processes, root, program, env, ready: { port, path: '/ready' } });
  return { port, pid };
}
