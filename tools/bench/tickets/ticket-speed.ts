import { freePort } from '@app/infra';
import { type Db, MongoClient } from 'mongodb';
import { type Account, makeAccount } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { type CpuMeter, type CpuTimes, cpuPerRequest, cpuUsed, createCpuMeter } from '../harness/cpu-meter.ts';
import type { LoadRun } from '../harness/load.ts';
import { gatewayPort, portOf } from '../harness/platform.ts';
import { startServer } from '../harness/processes.ts';
import { medianRatio, medianSample, type Sample } from '../harness/statistics.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { type Operation, operations, type Target } from './ticket-operations.ts';
import { copyTickets, fillerOf, makeTickets } from './ticket-pool.ts';

const connections = 32;
const poolSize = 1_000;
const bareDatabase = 'bench-bare';
const warmUpMs = 2_000;

const columns = [
  text('operation'),
  text('asked of'),
  figure('requests/s'),
  figure('p50 ms'),
  figure('p99 ms'),
  figure('ratio'),
  text('aim'),
  text('processor time a request, ms'),
];

/** Requests/s of every common operation through the gateway and directly at the service, compared with a bare server. */
export async function ticketSpeed(bench: Bench): Promise<void> {
  const { platform } = bench;
  const client = await MongoClient.connect(platform.mongodb);
  bench.onEnd(() => client.close());
  const account = await makeAccount(platform, 'Bench speed');
  bench.progress(`creating ${poolSize} tickets`);
  const ids = await makeTickets(platform, account, poolSize);
  const bare = await startBare(bench, client, account);
  const meter = createCpuMeter({ pids: { ...platform.pids, bare: bare.pid }, client });
  const targets: Target[] = [
    { name: 'bare server', port: bare.port, token: null },
    { name: 'through the gateway', port: gatewayPort(platform), token: account.apiToken },
    { name: 'straight to the service', port: portOf(platform, 'ticket'), token: account.internalToken },
  ];
  const rows: string[][] = [];
  for (const operation of operations) {
    bench.progress(`${operation.name}, ${bench.rounds} rounds`);
    rows.push(...(await compare({ bench, meter, targets, ids }, operation)));
  }
  bench.print(table(`Tickets: ${connections} connections, median of ${bench.rounds} rounds`, columns, rows));
}

async function startBare({ processes, root, platform, onEnd: atEnd }: Bench, client: MongoClient, account: Account) {
  const { companyId } = account.caller;
  await copyTickets(client, bareDatabase, companyId);
  const bareDb: Db = client.db(bareDatabase);
  atEnd(async () => void (await bareDb.dropDatabase()));
  const ticket = (await bareDb.collection('tickets').findOne()) as unknown as { _id: string };
  const port = await freePort();
  const env = {
    NODE_ENV: 'production',
    BARE_URL: platform.mongodb,
    BARE_DATABASE: bareDatabase,
    BARE_PORT: String(port),
    BARE_COMPANY: companyId,
    BARE_FILLER: String(await fillerOf(platform, account, ticket)),
  };
  const program = 'tools/bench/harness/bare-server.ts';
  const { pid } = await startServer({ processes, root, program, env, ready: { port, path: '/ready' } });
  return { port, pid };
}

type Comparison = { bench: Bench; meter: CpuMeter; targets: Target[]; ids: string[] };
type Measured = { samples: Sample[]; cpu: CpuTimes };

/** Each round measures every target once, one after the other, so that other load on the machine affects all alike. */
async function compare(comparison: Comparison, operation: Operation): Promise<string[][]> {
  const { bench, meter, targets, ids } = comparison;
  const measured = targets.map((): Measured => ({ samples: [], cpu: {} }));
  for (let round = 0; round <= bench.rounds; round++) {
    for (const [index, target] of targets.entries()) {
      const lists = operation.lists(target, ids.slice(0, operation.perConnection ? connections : ids.length));
      const run = { port: target.port, connections, lists, unit: operation.unit };
      // The first round warms up and does not count.
      const one = await measure({ bench, meter }, { ...run, durationMs: round === 0 ? warmUpMs : bench.roundMs });
      if (round > 0) add(measured[index] as Measured, one);
    }
  }
  const [baseline] = measured as [Measured];
  return measured.map(({ samples, cpu }, index) => {
    const { perSecond, p50, p99 } = medianSample(samples);
    const requests = samples.reduce((sum, sample) => sum + sample.requests, 0);
    const ratio = medianRatio(samples, baseline.samples, 'perSecond');
    return [
      index === 0 ? operation.name : '',
      targets[index]?.name ?? '',
      count(perSecond),
      decimals(p50, 2),
      decimals(p99, 2),
      index === 0 ? '' : decimals(ratio, 2),
      index === 1 ? againstAim(ratio, { least: operation.aim }) : '',
      cpuPerRequest(cpu, requests),
    ];
  });
}

async function measure({ bench, meter }: Pick<Comparison, 'bench' | 'meter'>, run: LoadRun) {
  await meter.untilIdle();
  const before = await meter.read();
  const sample = await bench.load.run(run);
  return { sample, cpu: cpuUsed(before, await meter.read()) };
}

function add(measured: Measured, { sample, cpu }: { sample: Sample; cpu: CpuTimes }): void {
  measured.samples.push(sample);
  for (const [name, used] of Object.entries(cpu)) measured.cpu[name] = (measured.cpu[name] ?? 0) + used;
}
