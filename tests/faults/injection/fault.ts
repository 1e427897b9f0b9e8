import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@app/demo';
import type { Cluster } from '../cluster/cluster.ts';
import type { Receivers } from '../load/receivers.ts';
import { poll } from '../waiting.ts';

export type World = {
  cluster: Cluster;
  receivers: Receivers;
  random: Random;
  /** One write and one read through the gateway. @throws Error while that does not work */
  probe: () => Promise<void>;
  /** How often that stands in the logs of services since the fault began. */
  logged: (pattern: RegExp) => number;
};

/** What a fault has hit. `bites`: how often something ran into it; where it is absent, `effect` of the fault says so. */
export type Hit = { target: string; bites?: number };

/**
 * One kind of fault. `play` causes it for about `lastsMs`, and resolves once it is over, to what
 * was hit; to null if this machine cannot cause it.
 */
export type Fault = {
  name: string;
  /** Least and most; the short form takes the least. */
  lastsMs: [number, number];
  /** Left out of the short form: it takes too long there. */
  isLong?: true;
  /** Belongs to the brief form. */
  isBrief?: true;
  /** What processes of services log, or are, because of it. Absent if `play` counts. */
  effect?: RegExp;
  /** Statuses that are correct during this fault, and at no other time. */
  excuses?: number[];
  play(world: World, lastsMs: number): Promise<Hit | null>;
};

/** How much longer than drawn a fault lasts until something runs into it. */
const untilBittenMs = 120_000;

/** Resolves after that time, or later once `count` is above 0. @returns what `count` said last */
export async function lasting(lastsMs: number, count: () => number | Promise<number>): Promise<number> {
  await delay(lastsMs);
  const isBitten = (bites: number) => bites > 0;
  return poll(async () => count(), isBitten, untilBittenMs);
}

export const second = 1_000;
export const minute = 60 * second;
