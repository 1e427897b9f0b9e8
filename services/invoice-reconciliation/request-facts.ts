import { randomUUID } from 'node:crypto';
import { factKinds, factsRequested } from '@app/contracts';
import { type Broker, seal } from '@app/messaging';

/**
 * Asks every owner to publish its facts again, page after page: the copies of this service are made anew, by version, while
 * it runs. What it holds stays until then; nothing is lost by asking twice.
 * @returns the id of the request, which the owners' logs name
 */
export async function requestFacts(broker: Pick<Broker, 'publish'>, at = new Date()): Promise<string> {
  const request_id = randomUUID();
  const wanted = factKinds
    .filter((kind) => kind !== 'users')
    .map((kind) => factsRequested({ request_id, kind, after: null }, at));
  // Not as one message: what interrupts the pages of one kind would have those of the others begin anew.
  for (const event of seal('invoice-reconciliation', wanted)) await broker.publish([event]);
  return request_id;
}
