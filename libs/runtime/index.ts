export { type Batches, createBatches } from './batches.ts';
export { collectPassed } from './collect-passed.ts';
export {
  type CommonSettings,
  ConfigError,
  type DataSettings,
  dataSettings,
  duration,
  durations,
  encryptionKeys,
  loadConfig,
  type NamedKey,
  namedKeys,
} from './config.ts';
export { inTime } from './in-time.ts';
export { createInserts } from './inserts.ts';
export { createLineLog, createLogger, currentContext, type LogContext, type Logger } from './logger.ts';
export { metrics } from './metrics.ts';
export {
  atMajority,
  connectMongo,
  duplicatesIn,
  ensureIndexes,
  isDuplicateKey,
  isMongoOutage,
  isUnsendable,
  pingMongo,
  readFew,
  readOne,
  refusedIn,
  untilMajority,
} from './mongo.ts';
export { createRoom, type Room } from './room.ts';
export { type Lifecycle, runService } from './run-service.ts';
export { createSecretBox, type SecretBox } from './secret-box.ts';
export { createUnderWay } from './under-way.ts';
