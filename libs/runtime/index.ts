export { createBatchedInsert } from './batched-insert.ts';
export { type Batcher, createBatcher } from './batcher.ts';
export { collectionOf } from './collection-of.ts';
export {
  type CommonSettings,
  ConfigError,
  type DataSettings,
  dataSettings,
  duration,
  durations,
  encryptionKeys,
  isNamedBy,
  loadConfig,
  mongoUrl,
  type NamedKey,
  namedKeys,
  secret,
  webUrl,
} from './config.ts';
export { openDatabaseClock } from './database-clock.ts';
export { describeSettings, type SettingDescription } from './describe-settings.ts';
export { countStreamedBytes } from './garbage-collection.ts';
export { createLineLog, createLogger, currentContext, type LogContext, type Logger } from './logger.ts';
export { durationBuckets, durationHistogram, gaugeOnScrape, metrics } from './metrics.ts';
export {
  connectMongo,
  duplicateIndexes,
  ensureIndexes,
  isDuplicateKey,
  isTransientMongoError,
  isUnserializable,
  majorityRead,
  pingMongo,
  waitForMajority,
  writeErrorsByIndex,
} from './mongo.ts';
export { replaceUnlessNewer } from './replace-unless-newer.ts';
export { conflict, retryOnConflict } from './retry-on-conflict.ts';
export { type Process, runProcess } from './run-process.ts';
export { createSecretBox, type SecretBox } from './secret-box.ts';
export { createSemaphore, type Semaphore } from './semaphore.ts';
export { environmentWithFiles, rereadSetting } from './setting-files.ts';
export { createTaskTracker, type TaskTracker } from './task-tracker.ts';
export { withTimeout } from './with-timeout.ts';
