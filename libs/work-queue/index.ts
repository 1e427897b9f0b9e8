export { createPoller, type Poller } from './poller.ts';
export {
  createWorkQueue,
  duePages,
  type Lease,
  newLease,
  QueueStopped,
  type Turn,
  type WorkQueue,
  type WorkQueueLimits,
} from './work-queue.ts';
