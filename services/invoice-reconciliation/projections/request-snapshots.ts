import { randomUUID } from 'node:crypto';
import { type SnapshotKind, snapshotKinds, snapshotsRequested } from '@app/contracts';
import { type Broker, toCloudEvents } from '@app/messaging';

/** The kinds that projections of tickets are made of. */
export const ticketSnapshotKinds: readonly SnapshotKind[] = ['tickets', 'purchases'];

/**
 * Asks the owning services to publish snapshots of all they have, page by page. The projections are updated by version while
 * the service runs. Asking twice does no harm.
 * @returns the id of the request, which the owners log
 */
export async function requestSnapshots(
  broker: Pick<Broker, 'publish'>,
  kinds: readonly SnapshotKind[] = snapshotKinds.filter((kind) => kind !== 'users'),
  at = new Date(),
): Promise<string> {
  const request_id = randomUUID();
  const requests = kinds.map((kind) => snapshotsRequested({ request_id, kind, after: null }, at));
  await broker.publish(toCloudEvents('invoice-reconciliation', requests));
  return request_id;
}
