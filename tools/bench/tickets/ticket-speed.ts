import { MongoClient } from 'mongodb';
import { startBareServer } from '../harness/bare-server/start-bare-server.ts';
import type { Bench } from '../harness/bench.ts';
import { type Measured, measureRounds } from '../harness/load/measure-rounds.ts';
import { medianRatio, medianSample } from '../harness/load/statistics.ts';
import { type CpuMeter, cpuPerRequest, createCpuMeter } from '../harness/meters/cpu-meter.ts';
import { type Account, makeAccount } from '../harness/platform/accounts.ts';
import { gatewayPort, portOf } from '../harness/platform/platform.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { type Operation, operations, type Target } from './ticket-operations.ts';
import { copyTickets, fillerOf, makeTickets } from './ticket-pool.ts';

const connections = 32;
const poolSize = 1_000;
const bareDatabase = 'bench-bare';

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

async function startBare(bench: Bench, client: MongoClient, account: Account) {
  const { companyId } = account.caller;
  await copyTickets(client, bareDatabase, companyId);
  const database = client.db(bareDatabase);
  bench.onEnd(async () => void (await database.dropDatabase()));
  const ticket = (await database.collection('tickets').findOne()) as unknown as { _id: string };
  const filler = await fillerOf(bench.platform, account, ticket);
  return startBareServer(bench, { database: bareDatabase, companyId, filler });
}

type Comparison = { bench: Bench; meter: CpuMeter; targets: Target[]; ids: string[] };

async function compare({ bench, meter, targets, ids }: Comparison, operation: Operation): Promise<string[][]> {
  const runs = targets.map((target) => {
    const lists = operation.lists(target, ids.slice(0, operation.perConnection ? connections : ids.length));
    return { port: target.port, connections, lists, unit: operation.unit };
  });
  const measured = await measureRounds(bench, meter, runs);
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
