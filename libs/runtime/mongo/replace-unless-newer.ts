import type { Model, mongo } from 'mongoose';
import { collectionOf } from './mongo.ts';

/**
 * Replaces the document with this id unless the stored `version` is higher. An upsert that causes no duplicate key, which would end
 * a transaction. By the driver: Mongoose casts no pipelines.
 */
export async function replaceUnlessNewer<T extends { _id: string }>(
  model: Model<T>,
  _id: string,
  document: Omit<T, '_id'> & { version: number },
): Promise<void> {
  const isNewer = { $gt: [{ $ifNull: ['$version', 0] }, document.version] };
  const replaced = { $mergeObjects: [{ _id: '$_id' }, { $literal: document }] };
  const update = [{ $replaceWith: { $cond: [isNewer, '$$ROOT', replaced] } }];
  await collectionOf(model).updateOne({ _id } as mongo.Filter<T>, update, { upsert: true });
}
