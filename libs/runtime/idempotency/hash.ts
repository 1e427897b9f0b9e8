import { createHash, hkdfSync } from 'node:crypto';
import { createSecretBox, type SecretBox } from '../index.ts';

/** A SHA-256 of any JSON value. The order of an object's keys does not count: a client may write the same body in another order. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, withSortedKeys)).digest('hex');
}

function withSortedKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Seals what is stored for an Idempotency-Key, by a key derived from it. The database has a hash of it alone: answers may hold
 * secrets that are stored nowhere else, such as a new API token.
 */
export function secretBoxOf(idempotencyKey: string, recordId: string): SecretBox {
  const secret = Buffer.from(hkdfSync('sha256', idempotencyKey, recordId, 'answer', 32));
  return createSecretBox([{ id: 'key', secret }]);
}
