export { bindBody, type Keep, keepAlongside, keepIn, type Within, writeOnce, writeOnceIn } from './claim.ts';
export { hashOf } from './hash.ts';
export {
  createIdempotencyKeys,
  type IdempotencyKeys,
  type KeyedRequest,
  type StoredAnswer,
} from './idempotency-keys.ts';
