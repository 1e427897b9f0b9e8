import { join } from 'node:path';
import { WorkerPool } from '../../workers/worker-pool.ts';

type Options = { size?: number; timeoutMs?: number; idleMs?: number };

/** A pool of workers that misbehave as their tasks say. */
export function createOddWorkerPool(given: Options = {}): WorkerPool<string, number> {
  const program = join(__dirname, 'programs/odd-worker.ts');
  const limits = { size: 1, timeoutMs: 30_000, memoryMb: 32, reuseBelowMs: 1_000, idleMs: 60_000 };
  return new WorkerPool({ program, ...limits, ...given });
}
