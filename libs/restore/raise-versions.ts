import type { mongo } from 'mongoose';

type Raising<T> = { epoch: number; fields?: string[]; filter?: mongo.Filter<T> };

/**
 * Raises versions to `epoch`, a time in milliseconds, or by one if they are higher already. No version that was ever told is as
 * high: a thing is not changed a thousand times a second, all the years long. So what is told from now on wins everywhere.
 * @returns how many documents were raised
 */
export async function raiseVersions<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  { epoch, fields = ['version'], filter = {} }: Raising<T>,
): Promise<number> {
  const raised = fields.map((field) => [field, { $max: [epoch, { $add: [{ $ifNull: [`$${field}`, 0] }, 1] }] }]);
  const { modifiedCount } = await collection.updateMany(filter, [{ $set: Object.fromEntries(raised) }]);
  return modifiedCount;
}
