import type { Random } from '@app/demo';
import type { Replica } from '../faults/cluster/replicas.ts';
import { until } from '../faults/waiting.ts';
import type { Release } from './release.ts';

/** A process that was replaced. */
export type Replaced = { replica: string; to: string; stoppedMs: number; readyMs: number; answers: number };

export type RolloutOptions = {
  replicas: Replica[];
  to: Release;
  /** How many processes are replaced at the same time, each of another service. */
  atOnce: number;
  random: Random;
  /** How many requests have been answered. */
  answered: () => number;
  /**
   * How many more requests must be answered before the next process is replaced: until then both
   * versions run.
   */
  answersBetween: number;
  say: (line: string) => void;
};

/** Far more than a process takes. */
const readyWithinMs = 600_000;
const answeredWithinMs = 600_000;

/** Replaces every process by one of another version, as an orchestrator does: the next one once this one is ready. */
export async function rollOut(options: RolloutOptions): Promise<Replaced[]> {
  const { replicas, atOnce, random, say } = options;
  const replaced: Replaced[] = [];
  for (const step of stepsOf(replicas, atOnce, random)) {
    const done = await Promise.all(step.map((replica) => replace(replica, options)));
    for (const one of done) say(sentenceOf(one));
    replaced.push(...done);
  }
  return replaced;
}

/**
 * The services in a random order, each process of one after the other. If several are replaced at once, first one of each
 * service, then the other one of each: what is replaced together is never of one service.
 */
export function stepsOf(replicas: Replica[], atOnce: number, random: Random): Replica[][] {
  const services = [...Map.groupBy(replicas, ({ service }) => service).values()]
    .map((some) => ({ some, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ some }) => some);
  if (atOnce === 1) return services.flat().map((replica) => [replica]);
  const most = Math.max(...services.map(({ length }) => length));
  const rounds = Array.from({ length: most }, (_, index) => services.flatMap((some) => some[index] ?? []));
  return rounds.flatMap((round) =>
    Array.from({ length: Math.ceil(round.length / atOnce) }, (_, at) => round.slice(at * atOnce, (at + 1) * atOnce)),
  );
}

async function replace(replica: Replica, { to, answered, answersBetween }: RolloutOptions): Promise<Replaced> {
  const before = answered();
  const stoppedMs = await replica.replace(to.code);
  const started = performance.now();
  await until(() => replica.isReady(), readyWithinMs, `${replica.name} does not become ready at ${to.name}`);
  const readyMs = performance.now() - started;
  const enough = answered() + answersBetween;
  await until(async () => answered() >= enough, answeredWithinMs, `${replica.name} is ready, and requests hang`);
  return { replica: replica.name, to: to.name, stoppedMs, readyMs, answers: answered() - before };
}

function sentenceOf({ replica, to, stoppedMs, readyMs, answers }: Replaced): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return `${replica} stopped in ${seconds(stoppedMs)}, ready at ${to} after ${seconds(readyMs)}, ${answers} answers meanwhile`;
}
