import { freePort } from '@app/start/infra';
import { type Account, makeAccount } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { runLoad } from '../harness/load.ts';
import { type Measured, measureRounds } from '../harness/measure-rounds.ts';
import { type CpuMeter, cpuPerRequest, createCpuMeter } from '../harness/meters.ts';
import { answersAt, gatewayPort, portOf, startServer } from '../harness/servers.ts';
import { medianRatio, medianSample } from '../harness/statistics.ts';
import { againstAim, count, decimals, figure, table, text } from '../harness/table.ts';
import { type Operation, purchaseOperations, type Target, ticketOperations } from './operations.ts';
import { copyTickets, fillerOf, makeTickets } from './ticket-pool.ts';

const connections = 32;
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

/** Requests/s of every common operation on tickets, through the gateway and straight at the service, compared with a bare server. */
export function ticketSpeed(bench: Bench): Promise<void> {
  const straight = ({ internalToken }: Account): Target => ({
    name: 'straight to the service',
    port: portOf(bench.platform, 'ticket'),
    token: internalToken,
  });
  return compareAll(bench, { title: 'Tickets', poolSize: 1_000, operations: ticketOperations, more: [straight] });
}

/** The same for purchases, through the gateway. A ticket takes 200 of them: the pool has enough for any run. */
export function purchaseSpeed(bench: Bench): Promise<void> {
  return compareAll(bench, { title: 'Purchases', poolSize: 3_000, operations: purchaseOperations, more: [] });
}

type Suite = {
  title: string;
  /** How many tickets are made for it. */
  poolSize: number;
  operations: Operation[];
  /** Who is asked besides the bare server and the gateway. */
  more: ((account: Account) => Target)[];
};

async function compareAll(bench: Bench, { title, poolSize, operations, more }: Suite): Promise<void> {
  const { platform, rounds } = bench;
  const account = await makeAccount(platform, 'Bench speed');
  bench.progress(`creating ${count(poolSize)} tickets`);
  const ids = await makeTickets(platform, account, poolSize);
  const bare = await startBare(bench, account);
  const meter = createCpuMeter(bench, { ...platform.pids, bare: bare.pid });
  const targets: Target[] = [
    { name: 'bare server', port: bare.port, token: null },
    { name: 'through the gateway', port: gatewayPort(platform), token: account.apiToken },
    ...more.map((target) => target(account)),
  ];
  const rows: string[][] = [];
  for (const operation of operations) {
    bench.progress(`${operation.name}, ${rounds} rounds`);
    rows.push(...(await compare({ bench, meter, targets, ids }, operation)));
  }
  await bare.stop();
  bench.print(table(`${title}: ${connections} connections, median of ${rounds} rounds`, columns, rows));
}

/** Starts the baseline (`bare-server.ts`) on copies of the company's tickets. */
async function startBare(bench: Bench, account: Account) {
  const { client, platform } = bench;
  const { companyId } = account.caller;
  const database = client.db(bareDatabase);
  await copyTickets(client, bareDatabase, companyId);
  bench.onEnd(async () => void (await database.dropDatabase()));
  const ticket = (await database.collection('tickets').findOne()) as unknown as { _id: string };
  const port = await freePort();
  const env = {
    NODE_ENV: 'production',
    BARE_URL: platform.mongodb,
    BARE_DATABASE: bareDatabase,
    BARE_PORT: String(port),
    BARE_COMPANY: companyId,
    BARE_FILLER: String(await fillerOf(platform, account, ticket)),
  };
  const program = 'tools/bench/tickets/bare-server.ts';
  const { pid, stop } = await startServer(bench, { program, env, isReady: answersAt(port, '/ready') });
  return { port, pid, stop };
}

type Comparison = { bench: Bench; meter: CpuMeter; targets: Target[]; ids: string[] };

async function compare({ bench, meter, targets, ids }: Comparison, operation: Operation): Promise<string[][]> {
  const used = operation.perConnection ? ids.slice(0, connections) : ids;
  const runs = targets.map((target) => ({
    port: target.port,
    connections,
    unit: operation.unit,
    lists: operation.lists(target, used),
  }));
  for (const [index, target] of targets.entries()) {
    const lists = operation.before?.(target, used);
    if (lists) await runLoad({ ...(runs[index] as (typeof runs)[number]), lists, durationMs: 0 });
  }
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
