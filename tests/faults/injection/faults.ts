import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@app/demo';
import type { Trouble } from '../cluster/network.ts';
import type { Replica } from '../cluster/replicas.ts';
import { type Fault, lasting, minute, second } from './fault.ts';
import { serverFaults } from './server-faults.ts';

const day = 24 * 60 * minute;

const words: Record<Trouble, string> = { hang: 'hangs', drop: 'is cut off', delay: 'is 500 ms away' };

/** Everything that happens, in the order in which the short form lets it happen. */
export const faults: Fault[] = [
  {
    name: 'processes killed',
    lastsMs: [second, 10 * second],
    isBrief: true,
    effect: /^--- started/m,
    async play({ cluster, random }, lastsMs) {
      const hit = some(cluster.replicas, random.whole(1, 2), random);
      await Promise.all(hit.map((replica) => replica.kill(lastsMs)));
      return { target: namesOf(hit) };
    },
  },
  {
    name: 'processes stopped',
    lastsMs: [5 * second, minute],
    effect: /was not ready/,
    async play({ cluster, random }, lastsMs) {
      const hit = some(cluster.replicas, random.whole(1, 2), random);
      for (const replica of hit) replica.pause();
      await delay(lastsMs);
      for (const replica of hit) replica.resume();
      return { target: namesOf(hit) };
    },
  },
  { ...partition('mongodb', 'hang'), isBrief: true },
  { ...partition('mongodb', 'drop'), isLong: true },
  { ...partition('mongodb', 'delay'), isLong: true },
  { ...partition('rabbitmq', 'hang'), isLong: true },
  { ...partition('rabbitmq', 'drop'), isBrief: true },
  { ...partition('rabbitmq', 'delay'), isLong: true },
  {
    name: 'wrong clock',
    lastsMs: [5 * second, 20 * second],
    // Internal tokens and sessions have a time of their own.
    excuses: [401],
    async play({ cluster, random }, lastsMs) {
      const replica = random.one(cluster.replicas);
      const offsetMs = random.one([10 * minute, -10 * minute, day, -day]);
      const before = replica.looksAtWrongClock();
      replica.shiftClock(offsetMs);
      const bites = await lasting(lastsMs, () => replica.looksAtWrongClock() - before);
      replica.shiftClock(0);
      return { target: `${replica.name} by ${offsetMs / minute} min`, bites };
    },
  },
  {
    name: 'provider out of order',
    lastsMs: [5 * second, 40 * second],
    async play({ cluster: { provider }, random }, lastsMs) {
      const kind = random.one(['hang', 'status', 'cut', 'half', 'lost', 'garbage', 'disorder'] as const);
      const before = provider.calls().count;
      provider.fail(kind === 'status' ? { kind, status: 500 } : { kind });
      const bites = await lasting(lastsMs, () => provider.calls().count - before);
      provider.heal();
      return { target: `provider: ${kind}`, bites };
    },
  },
  {
    name: 'receivers out of order',
    lastsMs: [5 * second, 30 * second],
    async play({ receivers }, lastsMs) {
      const before = receivers.failures();
      receivers.setFailureShare(0.6);
      const bites = await lasting(lastsMs, () => receivers.failures() - before);
      receivers.setFailureShare(0.05);
      return { target: 'receivers', bites };
    },
  },
  ...serverFaults,
];

/** Between one process and its database or its broker. */
function partition(server: 'mongodb' | 'rabbitmq', trouble: Trouble): Fault {
  return {
    name: `${server === 'mongodb' ? 'database' : 'broker'} ${words[trouble]}`,
    lastsMs: [5 * second, 30 * second],
    async play({ cluster, random }, lastsMs) {
      const replica = random.one(cluster.replicas.filter(({ service }) => service !== 'gateway'));
      const disturbance = cluster.network.disturb(replica.name, server, trouble);
      const bites = await lasting(lastsMs, disturbance.times);
      disturbance.end();
      return { target: replica.name, bites };
    },
  };
}

function some(replicas: Replica[], count: number, random: Random): Replica[] {
  const hit = new Set<Replica>();
  while (hit.size < count) hit.add(random.one(replicas));
  return [...hit];
}

function namesOf(replicas: Replica[]): string {
  return replicas.map(({ name }) => name).join(' and ');
}
