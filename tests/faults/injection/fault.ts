import type { Random } from '../../../tools/bench/matching/random.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Receivers } from '../load/receivers.ts';

export type World = { cluster: Cluster; receivers: Receivers; random: Random };

/**
 * One kind of fault. `play` causes it for about `lastsMs`, and resolves once it is over, to what
 * was hit; to null if this machine cannot cause it.
 */
export type Fault = {
  name: string;
  starts: string;
  ends: string;
  mayHit: string;
  /** Least and most; the short form takes the least. */
  lastsMs: [number, number];
  /** Left out of the short form: it takes too long there. */
  isLong?: true;
  /** Belongs to the brief form. */
  isBrief?: true;
  /** What processes of services log, or are, because of it: without that it has done nothing. */
  effect?: RegExp;
  /** Statuses that are correct during this fault, and at no other time. */
  excuses?: number[];
  play(world: World, lastsMs: number): Promise<string | null>;
};

export const second = 1_000;
export const minute = 60 * second;
