export { FairSemaphore } from './fair-semaphore.ts';
export { WorkerKilled, WorkerPool } from './worker-pool.ts';
