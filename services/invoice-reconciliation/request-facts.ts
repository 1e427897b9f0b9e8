import { randomUUID } from 'node:crypto';
import { type SnapshotKind, snapshotKinds, snapshotsRequested } from '@app/contracts';
import { type Broker, toCloudEvents } from '@app/messaging';
import type { Logger } from '@app/runtime';

/** What copies of tickets are made of. */
const ofTickets: readonly SnapshotKind[] = ['tickets', 'purchases'];
/** One request has all of them published again: it serves every copy that is found unreadable meanwhile. */
const servesForMs = 10 * 60_000;

/**
 * Asks every owner to publish its facts again, page after page: the copies of this service are made anew, by version, while
 * it runs. What it holds stays until then; nothing is lost by asking twice.
 * @returns the id of the request, which the owners' logs name
 */
export async function requestFacts(
  broker: Pick<Broker, 'publish'>,
  kinds: readonly SnapshotKind[] = snapshotKinds.filter((kind) => kind !== 'users'),
  at = new Date(),
): Promise<string> {
  const request_id = randomUUID();
  const wanted = kinds.map((kind) => snapshotsRequested({ request_id, kind, after: null }, at));
  // Not as one message: what interrupts the pages of one kind would have those of the others begin anew.
  for (const event of toCloudEvents('invoice-reconciliation', wanted)) await broker.publish([event]);
  return request_id;
}

type Deps = { broker: Pick<Broker, 'publish'>; logger: Logger };

/**
 * Asks the owners for what copies of tickets are made of, where one was found that cannot be read. Another one that is found
 * while a request serves may have been passed by already: once that time is over, they are asked again.
 */
export function createAskAgain({ broker, logger }: Deps): () => Promise<void> {
  let asked: Promise<void> | null = null;
  let foundSince = false;

  async function ask(): Promise<void> {
    const requestId = await requestFacts(broker, ofTickets);
    logger.warn('a copy of a ticket cannot be read: facts asked for again', { requestId, kinds: ofTickets });
    setTimeout(() => {
      asked = null;
      if (!foundSince) return;
      foundSince = false;
      askOnce().catch((error: unknown) => logger.warn('facts could not be asked for', { error }));
    }, servesForMs).unref();
  }

  function askOnce(): Promise<void> {
    asked ??= ask().catch((error: unknown) => {
      asked = null;
      throw error;
    });
    return asked;
  }

  return () => {
    foundSince = asked !== null;
    return askOnce();
  };
}
