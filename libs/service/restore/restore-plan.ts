import type { SnapshotKind } from '@app/contracts';

/** `snapshots`: kinds that their owners publish again. `tasks`: what else services do, each page by page. */
type RestorePlan = {
  snapshots: readonly SnapshotKind[];
  tasks: readonly { to: string; task: string }[];
};

/**
 * What makes all services agree again once the database of one of them was restored to an older state:
 *
 * - it publishes its own snapshots again, under versions higher than any published before;
 * - the other services publish again what it keeps of them;
 * - every service that keeps something of it asks whether that still exists (`check`), and marks what does not.
 *
 * The order does not matter: each step has the same result whenever, and however often, it is done.
 */
export const restorePlans: Readonly<Record<string, RestorePlan>> = {
  identity: {
    snapshots: ['companies', 'users'],
    tasks: [
      { to: 'ticket', task: 'check companies' },
      { to: 'ticket', task: 'check users' },
      { to: 'webhook-dispatcher', task: 'check users' },
      { to: 'ticket', task: 'publish erasures' },
      { to: 'webhook-dispatcher', task: 'publish erasures' },
    ],
  },
  ticket: {
    snapshots: ['tickets', 'contractors', 'locations', 'companies', 'users', 'purchases'],
    tasks: [
      { to: 'identity', task: 'publish erasures' },
      { to: 'ticket', task: 'publish assignments' },
      { to: 'ticket', task: 'publish links' },
      { to: 'purchase', task: 'publish files' },
      { to: 'invoice-reconciliation', task: 'publish lines' },
      { to: 'purchase', task: 'check tickets' },
      { to: 'invoice-reconciliation', task: 'check tickets' },
      { to: 'invoice-reconciliation', task: 'check contractors' },
      { to: 'invoice-reconciliation', task: 'check locations' },
    ],
  },
  purchase: {
    snapshots: ['purchases'],
    tasks: [
      { to: 'ticket', task: 'publish assignments' },
      { to: 'ticket', task: 'publish links' },
      { to: 'ticket', task: 'check purchases' },
      { to: 'invoice-reconciliation', task: 'check purchases' },
    ],
  },
  'invoice-reconciliation': {
    snapshots: ['tickets', 'contractors', 'locations', 'companies', 'purchases'],
    tasks: [
      { to: 'ticket', task: 'check invoices' },
      { to: 'connection', task: 'fetch again' },
      { to: 'invoice-reconciliation', task: 'ask for feedback' },
    ],
  },
  connection: {
    snapshots: ['companies'],
    tasks: [{ to: 'invoice-reconciliation', task: 'ask for feedback' }],
  },
  'webhook-dispatcher': {
    snapshots: ['users', 'companies'],
    tasks: [{ to: 'identity', task: 'publish erasures' }],
  },
};
