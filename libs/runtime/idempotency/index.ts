export { hashOf } from './hash.ts';
export {
  createIdempotencyKeys,
  type IdempotencyKeys,
  type KeyedRequest,
  type StoredAnswer,
} from './idempotency-keys.ts';
export {
  bindBody,
  resultWrite,
  type SaveResult,
  type TransactionalWrite,
  transactionOnce,
  type Within,
  writeAndSaveResult,
  writeOnce,
  writeOnceIn,
} from './write-once.ts';
