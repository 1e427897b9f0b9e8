export {
  type CommonSettings,
  ConfigError,
  type DataSettings,
  dataSettings,
  duration,
  loadConfig,
  type NamedKey,
  namedKeys,
} from './config.ts';
export { createLogger, currentContext, type LogContext, type Logger } from './logger.ts';
export { connectMongo, ensureIndexes, isDuplicateKey, pingMongo } from './mongo.ts';
export { type Lifecycle, runService } from './run-service.ts';
