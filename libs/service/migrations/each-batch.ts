import { pageById } from '@app/runtime';
import type { mongo } from 'mongoose';
import type { MigrationContext } from './migration.ts';

type Batches<T extends { _id: string }> = {
  collection: mongo.Collection<T>;
  /** What is not in its new form yet. */
  filter: mongo.Filter<T>;
  /** Documents of a batch, 1000. */
  size?: number;
};

/**
 * Walks through what the filter matches in order of `_id`, and remembers after each batch how far it came: after a crash the
 * migration goes on there. `work` gets the ids, and must itself look again that a document is still in its old form.
 */
export async function eachBatch<T extends { _id: string }>(
  { progress, signal, logger }: MigrationContext,
  { collection, filter, size = 1_000 }: Batches<T>,
  work: (ids: string[]) => Promise<unknown>,
): Promise<void> {
  let after = await progress.read();
  let documents = 0;
  for (;;) {
    signal.throwIfAborted();
    const { found } = await pageById(collection, after, { filter, projection: { _id: 1 }, limit: size });
    const ids = found.map(({ _id }) => String(_id));
    const last = ids.at(-1);
    if (last === undefined) return;
    await work(ids);
    await progress.save(last);
    after = last;
    documents += ids.length;
    if (documents % (100 * size) === 0)
      logger.info('migration in progress', { collection: collection.collectionName, documents });
  }
}
