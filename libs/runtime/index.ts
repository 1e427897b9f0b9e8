export { countStreamedBytes } from './garbage-collection.ts';
export { createLineLog, createLogger, currentContext, type LogContext, type Logger } from './logger.ts';
export { durationBuckets, durationHistogram, gaugeOnScrape, metrics } from './metrics.ts';
export { createBatchedInsert } from './mongo/batched-insert.ts';
export { type Batcher, createBatcher } from './mongo/batcher.ts';
export { openDatabaseClock } from './mongo/database-clock.ts';
export { findByWords, maxLookedAt, type WithWords } from './mongo/find-by-words.ts';
export { createLeases, type Leases } from './mongo/leases.ts';
export { type CompanyList, createCompanyList, createListReader, inTime, type ListReader } from './mongo/list-reader.ts';
export {
  collectionOf,
  connectMongo,
  documentSchema,
  duplicateIndexes,
  isDuplicateKey,
  isTransientMongoError,
  isUnserializable,
  lasting,
  localRead,
  modelOf,
  pingMongo,
  writeErrorsByIndex,
} from './mongo/mongo.ts';
export { type PagingById, pageById } from './mongo/page-by-id.ts';
export { type ReEncrypted, reEncrypt, type SealedTexts } from './mongo/re-encrypt.ts';
export { replaceUnlessNewer } from './mongo/replace-unless-newer.ts';
export { conflict, retryOnConflict } from './mongo/retry-on-conflict.ts';
export { remembered } from './remembered.ts';
export { type Process, runProcess } from './run-process.ts';
export { createSecretBox, type SecretBox } from './secret-box.ts';
export { createSemaphore, type Semaphore } from './semaphore.ts';
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
} from './settings/config.ts';
export { describeSettings, type SettingDescription } from './settings/describe-settings.ts';
export { environmentWithFiles, rereadSetting } from './settings/setting-files.ts';
export { createTaskTracker, type TaskTracker } from './task-tracker.ts';
export { waitAtMost, withTimeout } from './with-timeout.ts';
