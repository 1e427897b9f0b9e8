import { snapshotKinds } from '@app/contracts';
import { restorePlans } from '../../restore/restore-plan.ts';

const services = ['connection', 'identity', 'invoice-reconciliation', 'purchase', 'ticket', 'webhook-dispatcher'];

test('every service that has a database has a plan, whose tasks go to services that have one', () => {
  expect(Object.keys(restorePlans).sort()).toEqual(services);
  const receivers = Object.values(restorePlans).flatMap(({ tasks }) => tasks.map(({ to }) => to));
  expect(receivers.filter((to) => !services.includes(to))).toEqual([]);
});

test.each(Object.entries(restorePlans))('%s: snapshots are of kinds that owners publish, each once', (_name, plan) => {
  expect(plan.snapshots.filter((kind) => !snapshotKinds.includes(kind))).toEqual([]);
  expect(new Set(plan.snapshots).size).toBe(plan.snapshots.length);
});
