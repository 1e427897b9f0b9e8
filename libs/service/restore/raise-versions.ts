import type { mongo } from 'mongoose';

type Raising<T> = { epoch: number; fields?: string[]; filter?: mongo.Filter<T> };

/**
 * Raises versions to `epoch`, a time in milliseconds, or by one if they are higher already. That is higher than any version
 * published before, since nothing changes 1,000 times a second. Later events therefore win in every service.
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
