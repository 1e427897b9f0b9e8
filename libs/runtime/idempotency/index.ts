export * from './hash.ts';
export * from './idempotency-keys.ts';
export * from './write-once.ts';
