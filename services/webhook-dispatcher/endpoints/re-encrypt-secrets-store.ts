import type { SecretBox } from '@app/runtime';
import type { Connection } from 'mongoose';
import { headersContext } from './custom-header.ts';
import { type EndpointCollection, type EndpointRecord, endpointCollection, notDeleted } from './endpoint-store.ts';

export type ReEncrypted = {
  /** Number of endpoints that were changed. */
  endpoints: number;
  /** Ids of endpoints whose secret or headers no key opens; they are left as they are. */
  unreadable: string[];
};

type SealedField = { field: 'sealedSecret' | 'customHeaders.sealed'; sealed: string; context: string };
type Deps = { collection: EndpointCollection; secrets: SecretBox };

/** Encrypts secrets and headers of older keys with the first key. */
export async function reEncryptSecrets(connection: Connection, secrets: SecretBox): Promise<ReEncrypted> {
  const collection = endpointCollection(connection);
  const result: ReEncrypted = { endpoints: 0, unreadable: [] };
  for await (const endpoint of collection.find(notDeleted).sort({ _id: 1 })) {
    const older = sealedFieldsOf(endpoint).filter(({ sealed }) => !secrets.isSealedWithCurrentKey(sealed));
    const outcomes: Outcome[] = [];
    for (const one of older) outcomes.push(await reEncrypt({ collection, secrets }, endpoint._id, one));
    if (outcomes.includes('unreadable')) result.unreadable.push(endpoint._id);
    if (outcomes.includes('changed')) result.endpoints += 1;
  }
  return result;
}

function sealedFieldsOf({ _id: id, sealedSecret, customHeaders }: EndpointRecord): SealedField[] {
  const fields: SealedField[] = [{ field: 'sealedSecret', sealed: sealedSecret, context: id }];
  if (!customHeaders) return fields;
  return [...fields, { field: 'customHeaders.sealed', sealed: customHeaders.sealed, context: headersContext(id) }];
}

type Outcome = 'changed' | 'unchanged' | 'unreadable';

async function reEncrypt({ collection, secrets }: Deps, id: string, one: SealedField): Promise<Outcome> {
  const reEncrypted = sealWithCurrentKey(secrets, one);
  if (reEncrypted === null) return 'unreadable';
  // Only if unchanged: the endpoint may have been deleted or got other headers meanwhile.
  const { modifiedCount } = await collection.updateOne(
    { _id: id, [one.field]: one.sealed },
    { $set: { [one.field]: reEncrypted } },
  );
  return modifiedCount === 1 ? 'changed' : 'unchanged';
}

function sealWithCurrentKey(secrets: SecretBox, { sealed, context }: SealedField): string | null {
  try {
    return secrets.seal(secrets.open(sealed, context), context);
  } catch {
    return null;
  }
}
