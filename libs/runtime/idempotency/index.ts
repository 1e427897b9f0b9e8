export { hashOf } from './hash.ts';
export {
  createIdempotencyKeys,
  type IdempotencyKeys,
  type KeyedRequest,
  type StoredAnswer,
} from './idempotency-keys.ts';
export {
  type ProtectedWrite,
  resultWrite,
  type SaveResult,
  type TransactionalWrite,
  transactionOnce,
  type Within,
  writeAndSaveResult,
  writeOnce,
  writeOnceIn,
} from './write-once.ts';
