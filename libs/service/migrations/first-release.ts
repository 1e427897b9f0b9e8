// Why it is so: docs/decisions/migrations.md
import { isDuplicateKey, localRead } from '@app/runtime';
import type { mongo } from 'mongoose';

/** Data of versions that were never released has other names, and no migration. */
export class UnreleasedData extends Error {
  override readonly name = 'UnreleasedData';

  constructor(database: string) {
    super(
      `The database '${database}' was made by a version before 1.0.0, which was never released, or emptied while ` +
        'its service ran. Start afresh: `npm start -- --fresh`, or an empty database.',
    );
  }
}

/**
 * Marks an empty database as made by a release, before its first collection: a crash leaves either no collection or the mark.
 * @throws UnreleasedData if it has collections and no mark
 */
export async function markEmptyDatabase(database: mongo.Db): Promise<void> {
  if (await isMarked(database)) return;
  if (await isEmpty(database)) {
    const set = { $setOnInsert: { since: '1.0.0' } };
    // Several processes may do this at once: the record is the same, and each waits until a majority has it.
    await records(database)
      .updateOne({ _id: mark }, set, { upsert: true })
      .catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    return;
  }
  await refuseUnmarked(database);
}

/** The same without a change: an empty database passes. @throws UnreleasedData */
export async function refuseUnreleased(database: mongo.Db): Promise<void> {
  if (!(await isMarked(database)) && !(await isEmpty(database))) await refuseUnmarked(database);
}

/** Asks for the mark again: another process may have set it, and made collections, after this one had asked. */
async function refuseUnmarked(database: mongo.Db): Promise<void> {
  if (!(await isMarked(database))) throw new UnreleasedData(database.databaseName);
}

type MarkRecord = { _id: string; since: string };
/** Not the form of a migration's id, and no `finishedAt`: it counts as none. */
const mark = 'first-release';

/** In the collection of the migrations, so that a backup of the database has it. */
function records(database: mongo.Db): mongo.Collection<MarkRecord> {
  return database.collection<MarkRecord>('migrations');
}

async function isMarked(database: mongo.Db): Promise<boolean> {
  return (await records(database).findOne({ _id: mark }, { projection: { _id: 1 } })) !== null;
}

/** Empty but for the mark, which another process may just be setting: what is listed, a majority may not have yet. */
async function isEmpty(database: mongo.Db): Promise<boolean> {
  const listed = await database.listCollections({}, { nameOnly: true }).toArray();
  const names = listed.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
  if (names.some((name) => name !== records(database).collectionName)) return false;
  return (await records(database).findOne({ _id: { $ne: mark } }, localRead)) === null;
}
