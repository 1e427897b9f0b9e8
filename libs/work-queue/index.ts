export { claimBatch } from './claim-batch.ts';
export { claimNextDue } from './claim-next-due.ts';
export { earliestDueByKey, findDueKeys } from './due-keys.ts';
export { createPoller, type Poller } from './poller.ts';
export {
  duePages,
  type Lease,
  newLease,
  QueueStopped,
  type Turn,
  WorkQueue,
} from './work-queue.ts';
