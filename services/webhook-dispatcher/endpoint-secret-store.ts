import type { SecretBox } from '@app/runtime';
import type { Connection } from 'mongoose';
import { endpointsOf, live } from './endpoint-store.ts';

export type SealedAnew = {
  /** Endpoints that it changed. */
  endpoints: number;
  /** Those whose secret no key opens, left as they are. */
  unreadable: string[];
};

/** Seals anew, under the first key, the secrets of endpoints that an older one sealed. */
export async function sealAnew(connection: Connection, secrets: SecretBox): Promise<SealedAnew> {
  const collection = endpointsOf(connection);
  const done: SealedAnew = { endpoints: 0, unreadable: [] };
  for await (const { _id: id, sealedSecret } of collection.find(live).sort({ _id: 1 })) {
    if (secrets.isSealedWithCurrentKey(sealedSecret)) continue;
    const anew = opened(() => secrets.seal(secrets.open(sealedSecret, id), id));
    if (anew === null) {
      done.unreadable.push(id);
      continue;
    }
    // Only over what was read: one that was deleted meanwhile has no secret any more.
    const { modifiedCount } = await collection.updateOne({ _id: id, sealedSecret }, { $set: { sealedSecret: anew } });
    done.endpoints += modifiedCount;
  }
  return done;
}

function opened(open: () => string): string | null {
  try {
    return open();
  } catch {
    return null;
  }
}
