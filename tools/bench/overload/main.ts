import { cpus } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { UsageError } from '../harness/arguments.ts';
import { type Load, startLoad } from '../harness/load/load.ts';
import type { Sample } from '../harness/load/statistics.ts';
import { type CpuTimes, cpuUsed, createCpuMeter } from '../harness/meters/cpu-meter.ts';
import { untilIdle } from '../harness/meters/memory.ts';
import { memoryOf } from '../harness/meters/processes.ts';
import { profileTables } from '../harness/meters/profile.ts';
import { moreTokens } from '../harness/platform/accounts.ts';
import { gatewayPort, type Platform, startPlatform } from '../harness/platform/platform.ts';
import { type Session, withSession } from '../harness/session.ts';
import { type Arguments, parseArguments, usage } from './arguments.ts';
import { badCallers, goodCallers, makeTenants, requestsOf, type Tenant } from './callers.ts';
import type { Findings } from './findings/findings.ts';
import { between, resultOf, secondsUntilBack } from './findings/recovery.ts';
import { reportOf } from './findings/report.ts';
import type { HeldResult, HeldRun } from './held-connections/held-connections.ts';
import { type LoadProcess, startLoadProcess } from './load-process.ts';
import { watchMemory } from './memory-watch.ts';
import type { OpenLoopResult, OpenLoopRun } from './open-loop/open-loop.ts';

const folder = dirname(resolve(process.argv[1] ?? ''));
const root = dirname(dirname(dirname(folder)));

/** Companies of each kind of caller. */
const companies = { crowd: 10, floods: 5, good: 8 };
const connections = 32;
/** As many more as a company may have: none reaches its own limit while the closed loop runs. */
const measuringTokens = 99;
const warmUpMs = 3_000;
const measureMs = 5_000;
const aloneMs = 15_000;
const observeMs = 25_000;
/**
 * Further requests wait for one of these, as in the pool of a client; the wait counts as part of
 * the answer's time.
 */
const connectionsPerAddress = 40;
const heldAddresses = ['127.0.6.1', '127.0.6.2', '127.0.6.3', '127.0.6.4', '127.0.6.5'];
/** Answers within this time, or within twice the time before the overload, count as usual. */
const usualMs = 100;
const otherPrograms = 'everything else here, the broker included';

const progress = (line: string) => console.error(`… ${line}`);

async function main(): Promise<void> {
  const given = parseArguments(process.argv.slice(2));
  if (!given) return console.log(usage);
  await withSession((session) => run(given, session));
  return undefined;
}

async function run(given: Arguments, session: Session): Promise<void> {
  progress('starting a platform');
  const profiling = given.profileDir ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${given.profileDir}` } : {};
  const env = { NODE_ENV: 'production', LOG_LEVEL: 'warn', ...profiling };
  const { processes, temporary, onEnd } = session;
  const platform = await startPlatform({ root, folder: temporary, processes, env });
  onEnd(() => platform.stop());
  console.log(reportOf(await measure(platform, given, session)));
  if (!given.profileDir) return;
  await session.end();
  const names = new Map(Object.entries(platform.pids).map(([name, pid]) => [pid, name]));
  console.log(profileTables(given.profileDir, { root, names }));
}

async function measure(platform: Platform, given: Arguments, session: Session): Promise<Findings> {
  progress('making companies');
  const tenants = {
    crowd: await makeTenants(platform, 'Crowd', companies.crowd),
    floods: await makeTenants(platform, 'Flood', companies.floods),
    good: await makeTenants(platform, 'Good', companies.good),
  };
  const [measuring] = (await makeTenants(platform, 'Measuring', 1)) as [Tenant];
  const serves = await closedLoop(platform, measuring, session);
  progress('what the platform serves');
  const before = await serves();
  const perSecond = given.times * before.perSecond;
  progress(`making the callers of ${Math.round(perSecond)} requests a second`);
  const bad = await badCallers(platform, { ...tenants, perSecond });
  const { pids } = platform;
  await untilIdle(Object.values(pids));
  const memoryBefore = residentNow(pids);
  const watch = watchMemory(pids);
  session.onEnd(async () => watch.stop());

  const good = start<OpenLoopRun, OpenLoopResult>(session, 'open-loop/open-loop-process.ts', {
    ...{ port: gatewayPort(platform), callers: goodCallers(tenants.good), durationMs: null },
    ...{ maxConnectionsPerAddress: connectionsPerAddress, keepAnswers: true },
  });
  progress('callers within their limits, alone');
  const aloneFrom = Date.now();
  await pause(aloneMs);
  const overload = await overloaded(platform, given, session, { callers: bad.callers, goodPid: good.pid });
  const memoryOverloaded = watch.take();
  progress('after it');
  await pause(observeMs);
  // Refused although nobody is over a limit any more: a finding, not the end of the run.
  const after = await serves().catch((error: Error) => void progress(`closed loop: ${error.message.slice(0, 200)}`));
  const held = given.connections > 0 ? await hold(platform, given, session) : null;
  const memoryBeside = watch.take();
  const { answers, ...rest } = await good.stop();
  await untilIdle(Object.values(pids));
  const alone = resultOf(between(answers, aloneFrom + warmUpMs, overload.from));
  return {
    ...{ times: given.times, capacity: { before, after: after ?? null }, bad: overload.result, senders: bad },
    good: { ...rest, answers: [] },
    callerResults: {
      ...{ alone, overloaded: resultOf(between(answers, overload.from, overload.until)) },
      beside: held && resultOf(between(answers, held.from, held.until)),
    },
    backAfterS: secondsUntilBack(
      between(answers, overload.until, overload.until + observeMs),
      overload.until,
      Math.max(usualMs, 2 * alone.p50),
    ),
    ...{ held, cpu: overload.cpu },
    memory: { before: memoryBefore, overloaded: memoryOverloaded, beside: memoryBeside, after: residentNow(pids) },
  };
}

/** As fast as it answers, one request at a time on each connection. */
async function closedLoop(platform: Platform, tenant: Tenant, { onEnd }: Session): Promise<() => Promise<Sample>> {
  const load: Load = startLoad(join(dirname(folder), 'harness/load'));
  onEnd(() => load.close());
  const tokens = await moreTokens(platform, tenant.account, measuringTokens);
  // Each connection goes round in one list, and changes its token with every ticket.
  const all = tokens.map((token, index) => requestsOf(tenant, token, index));
  const lists = Array.from({ length: connections }, (_, at) =>
    all.flatMap((_list, n) => all[(at + n) % all.length] ?? []),
  );
  const run = { port: gatewayPort(platform), connections, lists, unit: 1 };
  return async () => {
    await load.run({ ...run, durationMs: warmUpMs });
    return load.run({ ...run, durationMs: measureMs });
  };
}

type Overloaded = { from: number; until: number; result: OpenLoopResult; cpu: Findings['cpu'] };

async function overloaded(
  platform: Platform,
  given: Arguments,
  session: Session,
  { callers, goodPid }: { callers: OpenLoopRun['callers']; goodPid: number },
): Promise<Overloaded> {
  progress(`${given.times} times as much for ${given.seconds} s`);
  const client = await MongoClient.connect(platform.mongodb);
  session.onEnd(() => client.close());
  const durationMs = 1000 * given.seconds;
  const bad = start<OpenLoopRun, OpenLoopResult>(session, 'open-loop/open-loop-process.ts', {
    ...{ port: gatewayPort(platform), callers, durationMs },
    ...{ maxConnectionsPerAddress: connectionsPerAddress, keepAnswers: false },
  });
  const meter = createCpuMeter({ pids: { ...platform.pids, load: bad.pid, 'good callers': goodPid }, client });
  const readCpu = async () => ({ ...(await meter.read()), [otherPrograms]: busyMs() });
  const from = Date.now();
  const before = await readCpu();
  // Reads the figures before the process ends: afterwards /proc has none of it.
  await pause(durationMs - 500);
  const cpu = { used: withOtherPrograms(cpuUsed(before, await readCpu())), ms: Date.now() - from };
  const result = await bad.result;
  return { from, until: from + durationMs, result, cpu };
}

/** What all processors of this machine did. */
function busyMs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}

/** Other programs leave the platform a smaller machine: the report shows what they used. */
function withOtherPrograms(used: CpuTimes): CpuTimes {
  const { [otherPrograms]: all = 0, ...known } = used;
  return { ...known, [otherPrograms]: all - Object.values(known).reduce((sum, ms) => sum + ms, 0) };
}

async function hold(platform: Platform, given: Arguments, session: Session): Promise<HeldResult> {
  progress(`${given.connections} idle and dripping connections for ${given.seconds} s`);
  const ports = { ticket: gatewayPort(platform), ts: Number(new URL(platform.tsApi).port) };
  const durationMs = 1000 * given.seconds;
  const run = { ports, addresses: heldAddresses, count: given.connections, durationMs };
  return start<HeldRun, HeldResult>(session, 'held-connections/held-connections-process.ts', run).result;
}

function start<Run, Result>(session: Session, program: string, run: Run): LoadProcess<Result> {
  const child = startLoadProcess<Run, Result>(join(folder, program), run);
  session.onEnd(() => child.kill());
  return child;
}

function residentNow(pids: Record<string, number>): Map<string, number> {
  return new Map(Object.entries(pids).map(([name, pid]) => [name, memoryOf(pid)?.residentMb ?? 0]));
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
