export { FairSemaphore } from './fair-semaphore.ts';
export { serveTasks } from './serve-tasks.ts';
export { WorkerKilled, WorkerPool } from './worker-pool.ts';
