import { freePort } from '@app/start/infra';
import { type Account, makeAccount } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { measureRounds } from '../harness/measure-rounds.ts';
import { answersAt, gatewayPort, startServer } from '../harness/servers.ts';
import { medianRatio, medianSample, type Sample } from '../harness/statistics.ts';
import { againstAim, count, decimals, printTable } from '../harness/table.ts';
import { type Operation, purchaseOperation, type Target, ticketOperations } from './operations.ts';
import { copyTickets, fillerOf, makeTickets } from './ticket-pool.ts';

const connections = 32;
const bareDatabase = 'bench-bare';

/** Requests/s of every common operation on tickets through the gateway, compared with a bare server. */
export function ticketSpeed(bench: Bench): Promise<void> {
  return compareAll(bench, { title: 'Tickets', poolSize: 1_000, operations: ticketOperations });
}

/** The same for purchases. A ticket takes 200 of them: the pool has enough for any run. */
export function purchaseSpeed(bench: Bench): Promise<void> {
  return compareAll(bench, { title: 'Purchases', poolSize: 3_000, operations: [purchaseOperation] });
}

/** `poolSize`: how many tickets are made for it. */
type Suite = { title: string; poolSize: number; operations: Operation[] };

async function compareAll(bench: Bench, { title, poolSize, operations }: Suite): Promise<void> {
  const { platform, rounds } = bench;
  const account = await makeAccount(platform, 'Bench speed');
  bench.progress(`creating ${count(poolSize)} tickets`);
  const ids = await makeTickets(platform, account, poolSize);
  const bare = await startBare(bench, account);
  const pids = [...Object.values(platform.pids), bare.pid];
  const targets: Target[] = [
    { port: bare.port, token: null },
    { port: gatewayPort(platform), token: account.apiToken },
  ];
  const rows: string[][] = [];
  for (const operation of operations) {
    bench.progress(`${operation.name}, ${rounds} rounds`);
    const used = operation.perConnection ? ids.slice(0, connections) : ids;
    const runs = targets.map((target) => ({
      port: target.port,
      connections,
      unit: operation.unit,
      lists: operation.lists(target, used),
    }));
    const [baseline, own] = (await measureRounds(bench, pids, runs)) as [Sample[], Sample[]];
    const { perSecond, p50, p99 } = medianSample(own);
    const ratio = medianRatio(own, baseline, 'perSecond');
    rows.push([
      operation.name,
      count(medianSample(baseline).perSecond),
      count(perSecond),
      decimals(ratio, 2),
      againstAim(ratio, { least: operation.aim }),
      decimals(p50, 2),
      decimals(p99, 2),
    ]);
  }
  await bare.stop();
  const names = ['operation', 'bare server, requests/s', 'through the gateway', 'ratio', 'aim', 'p50 ms', 'p99 ms'];
  printTable(`${title}: ${connections} connections, median of ${rounds} rounds`, names, rows);
}

/** Starts the baseline (`bare-server.ts`) on copies of the company's tickets. */
async function startBare(bench: Bench, account: Account) {
  const { client, platform } = bench;
  const { companyId } = account.caller;
  await copyTickets(client, bareDatabase, companyId);
  const ticket = (await client.db(bareDatabase).collection('tickets').findOne()) as unknown as { _id: string };
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
