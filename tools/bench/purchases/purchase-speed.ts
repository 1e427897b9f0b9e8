import { MongoClient } from 'mongodb';
import { startBareServer } from '../harness/bare-server/start-bare-server.ts';
import type { Bench } from '../harness/bench.ts';
import { type PreparedRequest, prepareRequest, uniqueNumber } from '../harness/load/load.ts';
import { type Measured, measureRounds } from '../harness/load/measure-rounds.ts';
import { medianRatio, medianSample, type Sample } from '../harness/load/statistics.ts';
import { type CpuMeter, cpuPerRequest, createCpuMeter } from '../harness/meters/cpu-meter.ts';
import { makeAccount } from '../harness/platform/accounts.ts';
import { flushToDisk } from '../harness/platform/flush-to-disk.ts';
import { gatewayPort } from '../harness/platform/platform.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { makeTickets, ticketsPath } from '../tickets/ticket-pool.ts';
import { populatePurchases } from './purchase-population.ts';

const connections = 32;
/** A ticket takes 200 documents: enough tickets for any run. */
const ticketPool = 3_000;
const bareDatabase = 'bench-bare-purchases';
const progressEvery = 100_000;
const growthAim = 1.5;

const order = { kind: 'purchase_order', source_system: 'bench', amount: 1284.5 };

/** `aim`: the least share of the bare server's inserts/s. */
type WriteCase = { name: string; port: number; requests: PreparedRequest[]; aim: number | null };
type MeasuredCase = Measured & { writeCase: WriteCase };

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
  const cases: WriteCase[] = [
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
  await createReplayed(bench, cases);
  bench.progress(`few documents, ${rounds} rounds`);
  const few = await measure(bench, meter, cases);
  bench.progress(`adding ${count(bench.million)} documents`);
  const { companyId } = account.caller;
  await populatePurchases({
    ...{ client, companyId, size: bench.million },
    progress: (done) =>
      done % progressEvery === 0 && bench.progress(`${count(done)} of ${count(bench.million)} documents`),
  });
  await flushToDisk(client);
  bench.progress(`many documents, ${rounds} rounds`);
  const many = await measure(bench, meter, cases);
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
async function createReplayed({ load }: Bench, cases: WriteCase[]): Promise<void> {
  for (const { port, requests } of cases.filter(({ name }) => name === 'replay')) {
    const lists = requests.map((request) => [{ ...request, status: 201 }]);
    await load.run({ port, connections, lists, unit: 1, durationMs: 0 });
  }
}

async function measure(bench: Bench, meter: CpuMeter, cases: WriteCase[]): Promise<MeasuredCase[]> {
  const runs = cases.map(({ port, requests }) => ({ port, connections, lists: [requests], unit: 1 }));
  const measured = await measureRounds(bench, meter, runs);
  return measured.map((one, index) => ({ ...one, writeCase: cases[index] as WriteCase }));
}

function printTable(bench: Bench, few: MeasuredCase[], many: MeasuredCase[]): void {
  const rows = few.map(({ writeCase, samples, cpu }, index) => {
    const { perSecond, p50, p99 } = medianSample(samples);
    const ratio = medianRatio(samples, few[0]?.samples as Sample[], 'perSecond');
    const later = many[index]?.samples as Sample[];
    const growth = medianRatio(samples, later, 'perSecond');
    return [
      writeCase.name,
      count(perSecond),
      decimals(p50, 2),
      decimals(p99, 2),
      writeCase.aim === null ? '' : decimals(ratio, 2),
      writeCase.aim === null ? '' : againstAim(ratio, { least: writeCase.aim }),
      count(medianSample(later).perSecond),
      writeCase.aim === null
        ? decimals(growth, 2)
        : `${decimals(growth, 2)} ${againstAim(growth, { most: growthAim }, 1)}`,
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

async function startBare(bench: Bench, client: MongoClient, companyId: string) {
  const database = client.db(bareDatabase);
  await database.dropDatabase();
  bench.onEnd(async () => void (await database.dropDatabase()));
  return startBareServer(bench, { database: bareDatabase, companyId });
}
