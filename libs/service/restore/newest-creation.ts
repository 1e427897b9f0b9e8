import { isId } from '@app/kernel';
import type { Connection } from 'mongoose';

/** Collections whose documents do not tell how old the data is. */
const bookkeeping = ['migrations', 'leases', 'restores', 'lost_things'];

/**
 * When the newest document of a database was created, read from its id: the backup was made after that.
 * @throws Error if the database is empty
 */
export async function newestCreation(connection: Connection): Promise<Date> {
  const database = connection.getClient().db(connection.name);
  const collections = (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const data = collections.filter((name) => !bookkeeping.includes(name) && !name.startsWith('system.'));
  const newest = await Promise.all(
    data.map((name) =>
      database.collection<{ _id: unknown }>(name).findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } }),
    ),
  );
  if (newest.every((found) => found === null))
    throw new Error(`the database ${connection.name} is empty: restore it first`);
  const seconds = newest.flatMap((found) =>
    isId(found?._id) ? [Number.parseInt(String(found?._id).slice(0, 8), 16)] : [],
  );
  return new Date(Math.max(0, ...seconds) * 1_000);
}
