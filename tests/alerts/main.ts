import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from '@app/start/infra';
import type { Cluster } from '../faults/cluster/cluster.ts';
import type { Shape } from '../faults/cluster/infrastructure.ts';
import { runOnCluster, runToEnd, say } from '../faults/cluster/program.ts';
import { until } from '../faults/waiting.ts';
import { ruleGroups } from '../monitoring/monitoring-files.ts';
import { type Cause, causes } from './causes.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { openWorld, targetsOf, type World, work } from './world.ts';

const shape: Shape = {
  members: 1,
  brokers: 1,
  hasSmallDisks: false,
  probeTimeoutMs: 2_000,
  // Short, so that deliveries are soon exhausted, and an invoice is soon due for its next step.
  settings: { WEBHOOK_RETRY_DELAYS: '1s,5s', REMATCH_DELAY: '5s' },
};
/** How long the platform must fire no alert before the first fault. */
const quietMs = 30_000;
const fireWithinMs = 300_000;

export const usage = `Usage: npm run drill -- alerts [alert …]

Starts the platform twice over on loopback with a Prometheus beside it, causes the fault of each alert, or of those that are named,
and waits until the alert fires (tests/alerts/README.md).`;

export const run = (names: string[]) => runToEnd(() => main(names));

async function main(names: string[]): Promise<void> {
  const unknown = names.filter((name) => !causes.some((cause) => sets(cause, name)));
  if (unknown.length > 0)
    throw new UsageError(`there is no alert ${unknown.join(', ')}; without a name, all are caused`);
  const chosen = names.length === 0 ? causes : causes.filter((cause) => names.some((name) => sets(cause, name)));
  await runOnCluster({ name: 'alerts', shape, seed: 1, keep: false }, (cluster) => runOn(cluster, chosen));
}

const sets = ({ alerts }: Cause, name: string) => alerts.some((one) => one.split(' ')[0] === name);

/** @returns whether each alert fired for its fault, and none before */
async function runOn(cluster: Cluster, chosen: Cause[]): Promise<boolean> {
  const prometheus = await startPrometheus(cluster.dir, targetsOf(cluster));
  try {
    const world = await openWorld(cluster, prometheus);
    try {
      await work(world, 5);
      await delay(quietMs);
      const early = await prometheus.firing();
      if (early.size > 0) say(`without any fault there fire: ${[...early].join(', ')}`);
      let areAllSeen = early.size === 0;
      for (const cause of chosen) {
        const isSeen = await isSeenToFire(cause, world).catch((error) => {
          say(`${cause.fault}: ${error}`);
          return false;
        });
        areAllSeen = isSeen && areAllSeen;
      }
      const missing = chosen === causes ? withoutCause() : [];
      if (missing.length > 0) say(`without a cause: ${missing.join(', ')}`);
      return areAllSeen && missing.length === 0;
    } finally {
      await world.close();
    }
  } finally {
    await prometheus.stop();
  }
}

async function isSeenToFire({ fault, alerts, begin }: Cause, world: World): Promise<boolean> {
  await untilQuiet(alerts, world.prometheus);
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(0)} s`;
  const cure = await begin(world);
  const waiting = new Set(alerts);
  try {
    const haveFired = async () => {
      for (const alert of await world.prometheus.firing())
        if (waiting.delete(alert)) say(`${alert} after ${seconds()}: ${fault}`);
      return waiting.size === 0;
    };
    await until(haveFired, fireWithinMs, 'too late');
    return true;
  } catch (error) {
    say(`${fault}: ${[...waiting].join(', ')} did not fire within ${seconds()} (${error})`);
    return false;
  } finally {
    await cure();
  }
}

/** Consequences of the faults before end first, so that what fires is this fault's. */
function untilQuiet(alerts: string[], prometheus: Prometheus): Promise<void> {
  const isQuiet = async () => {
    const firing = await prometheus.firing();
    return alerts.every((alert) => !firing.has(alert));
  };
  return until(isQuiet, fireWithinMs, `${alerts.join(', ')} fire before their fault`);
}

/** A budget that burns slowly takes hours: tests/monitoring has those. */
function withoutCause(): string[] {
  const caused = new Set(causes.flatMap(({ alerts }) => alerts.map((one) => one.split(' ')[0])));
  // What others' exporters would say is not there, and no e-mail is sent: services/identity/test/mail has its metrics.
  const ours = ruleGroups.filter(({ name }) => !['exporters', 'mail'].includes(name));
  const names = ours.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
  return [...new Set(names)].filter((name) => !caused.has(name));
}
