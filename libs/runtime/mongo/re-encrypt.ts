import type { mongo } from 'mongoose';
import type { SecretBox } from '../secret-box.ts';

/** A sealed text of a document: its field, and what it was sealed for. */
type SealedField = { field: string; sealed: string; context: string };

/** Where a service keeps sealed texts. */
export type SealedTexts<Stored extends { _id: string }> = {
  collection: mongo.Collection<Stored>;
  /** Which documents have any. */
  filter: object;
  sealedIn: (stored: Stored) => SealedField[];
};

export type ReEncrypted = {
  /** How many documents were changed. */
  changed: number;
  /** The ids of documents with a text that no key opens; it is left as it is. */
  unreadable: string[];
};

/**
 * Seals what older keys sealed with the first key, so that the older ones can be removed. Safe beside the running service, and safe to
 * repeat.
 */
export async function reEncrypt<Stored extends { _id: string }>(
  { collection, filter, sealedIn }: SealedTexts<Stored>,
  secrets: SecretBox,
): Promise<ReEncrypted> {
  const result: ReEncrypted = { changed: 0, unreadable: [] };
  for await (const stored of collection.find(filter).sort({ _id: 1 })) {
    const older = sealedIn(stored as Stored).filter(({ sealed }) => !secrets.isSealedWithCurrentKey(sealed));
    const outcomes: ('changed' | 'replaced' | 'unreadable')[] = [];
    for (const one of older) {
      const again = sealAgain(secrets, one);
      if (again === null) {
        outcomes.push('unreadable');
        continue;
      }
      // Only if it is unchanged: what was replaced meanwhile is newer, and sealed with the first key already.
      const unchanged = { _id: stored._id, [one.field]: one.sealed } as mongo.Filter<Stored>;
      const change = { $set: { [one.field]: again } } as unknown as mongo.UpdateFilter<Stored>;
      const { modifiedCount } = await collection.updateOne(unchanged, change);
      outcomes.push(modifiedCount === 1 ? 'changed' : 'replaced');
    }
    if (outcomes.includes('changed')) result.changed += 1;
    if (outcomes.includes('unreadable')) result.unreadable.push(stored._id);
  }
  return result;
}

/** Null if no key opens it. */
function sealAgain(secrets: SecretBox, { sealed, context }: SealedField): string | null {
  try {
    return secrets.seal(secrets.open(sealed, context), context);
  } catch {
    return null;
  }
}
