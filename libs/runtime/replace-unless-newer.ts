/**
 * The update that replaces a document by one of a higher or the same `version`, and leaves it as it is if it is newer. For `updateOne`
 * with `upsert: true` and the id as filter: nothing fails in it that would end a transaction.
 */
export function replaceUnlessNewer(document: { version: number }): object[] {
  const isNewer = { $gt: [{ $ifNull: ['$version', 0] }, document.version] };
  const replaced = { $mergeObjects: [{ _id: '$_id' }, { $literal: document }] };
  return [{ $replaceWith: { $cond: [isNewer, '$$ROOT', replaced] } }];
}
