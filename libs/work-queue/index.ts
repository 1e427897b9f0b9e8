export { claimNextDue } from './claim-next-due.ts';
export { createPoller, type Poller } from './poller.ts';
export {
  duePages,
  type Lease,
  newLease,
  QueueStopped,
  type Turn,
  WorkQueue,
  type WorkQueueLimits,
  type WorkQueueOptions,
} from './work-queue.ts';
