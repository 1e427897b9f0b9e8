import type { Sample } from '../../harness/load/statistics.ts';
import type { CpuTimes } from '../../harness/meters/cpu-meter.ts';
import type { HeldResult } from '../held-connections/held-connections.ts';
import type { OpenLoopResult } from '../open-loop/open-loop.ts';
import type { CallerResult } from './recovery.ts';

/** Everything that a run found out. */
export type Findings = {
  times: number;
  /** What the platform serves in a closed loop; null: it refused some of it. */
  capacity: { before: Sample; after: Sample | null };
  bad: OpenLoopResult;
  /** Who sent it. */
  senders: { tokens: number; addresses: number };
  /** How late the generator of the callers within their limits was. */
  good: OpenLoopResult;
  callerResults: { alone: CallerResult; overloaded: CallerResult; beside: CallerResult | null };
  backAfterS: number | null;
  held: HeldResult | null;
  /** Processor time while overloaded, and how long that was, in ms. */
  cpu: { used: CpuTimes; ms: number };
  /** Resident MB by process. */
  memory: Record<'before' | 'overloaded' | 'beside' | 'after', ReadonlyMap<string, number>>;
};
