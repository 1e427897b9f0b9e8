import type { SecretBox } from '@app/runtime';
import type { Connection } from 'mongoose';
import { endpointCollection, notDeleted } from './endpoint-store.ts';

export type ReEncrypted = {
  /** Number of endpoints that were changed. */
  endpoints: number;
  /** Ids of those whose secret no key opens; they are left as they are. */
  unreadable: string[];
};

/** Encrypts the secrets that an older key encrypted again, with the first key. */
export async function reEncryptSecrets(connection: Connection, secrets: SecretBox): Promise<ReEncrypted> {
  const collection = endpointCollection(connection);
  const result: ReEncrypted = { endpoints: 0, unreadable: [] };
  for await (const { _id: id, sealedSecret } of collection.find(notDeleted).sort({ _id: 1 })) {
    if (secrets.isSealedWithCurrentKey(sealedSecret)) continue;
    const resealed = reseal(secrets, sealedSecret, id);
    if (resealed === null) {
      result.unreadable.push(id);
      continue;
    }
    // Replaces only what was read: an endpoint that was deleted meanwhile has no secret any more.
    const { modifiedCount } = await collection.updateOne(
      { _id: id, sealedSecret },
      { $set: { sealedSecret: resealed } },
    );
    result.endpoints += modifiedCount;
  }
  return result;
}

function reseal(secrets: SecretBox, sealedSecret: string, id: string): string | null {
  try {
    return secrets.seal(secrets.open(sealedSecret, id), id);
  } catch {
    return null;
  }
}
