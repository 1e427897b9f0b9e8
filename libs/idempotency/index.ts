export { hashOf } from './hash.ts';
export {
  createIdempotencyKeys,
  type IdempotencyKeys,
  type KeyedRequest,
  type StoredAnswer,
} from './idempotency-keys.ts';
export { bindBody, type Keep, keepAlongside, keepIn, type Within, writeOnce, writeOnceIn } from './write-once.ts';
