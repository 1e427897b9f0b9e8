import type { Random } from '../../../tools/bench/matching/random.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Receivers } from '../load/receivers.ts';

export type World = { cluster: Cluster; receivers: Receivers; random: Random };

/**
 * One kind of fault. `play` lets it happen to somebody, for about `lastsMs`, and resolves once it is over, to whom it happened; to
 * null where this machine cannot.
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
  /** Statuses that are right meanwhile, and are not otherwise. */
  excuses?: number[];
  play(world: World, lastsMs: number): Promise<string | null>;
};

export const second = 1_000;
export const minute = 60 * second;
