/**
 * An update that replaces a document unless the stored `version` is higher. For `updateOne` with `upsert: true` and
 * the id as filter: it causes no duplicate key, which would end a transaction.
 */
export function replaceUnlessNewer<T extends { version: number }>(document: T): object[] {
  const isNewer = { $gt: [{ $ifNull: ['$version', 0] }, document.version] };
  const replaced = { $mergeObjects: [{ _id: '$_id' }, { $literal: document }] };
  return [{ $replaceWith: { $cond: [isNewer, '$$ROOT', replaced] } }];
}
