import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import winston from 'winston';
import { currentIds } from './tracing/index.ts';

/** Fields of every log line of a request or message, besides the ids of its span. */
export type LogContext = { requestId?: string; messageId?: string };

/** The request or message that is being handled. Read by the logger, and by outgoing requests and events. */
export const currentContext = new AsyncLocalStorage<LogContext>();

export type Logger = {
  error(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  debug(message: string, fields?: object): void;
};

type LoggerOptions = { service: string; level: string; production: boolean };

/** One JSON object a line in production, a readable line in development. An `error` field keeps message and stack. */
export function createLogger({ service, level, production }: LoggerOptions): Logger {
  const { combine, timestamp, json, printf, colorize } = winston.format;
  const base = winston.format((info) => {
    const context = currentContext.getStore();
    return Object.assign(
      info,
      { service },
      context,
      currentIds(),
      'error' in info ? { error: describe(info['error']) } : {},
    );
  });
  const readable = printf(({ level: shown, message, service: _service, timestamp: at, ...fields }) => {
    const rest = Object.keys(fields).length > 0 ? ` ${asText(fields)}` : '';
    return `${String(at).slice(11, 23)} ${shown} ${String(message)}${rest}`;
  });
  const logger = winston.createLogger({
    level,
    format: production
      ? combine(base(), timestamp(), json())
      : combine(base(), timestamp(), process.stdout.isTTY ? colorize() : winston.format((info) => info)(), readable),
    transports: [new winston.transports.Console({ stderrLevels: [] })],
  });
  // winston formats a line before it checks the level, and every request logs one at `debug`.
  const ignored = () => undefined;
  const at = (name: keyof Logger) => (logger.isLevelEnabled(name) ? logger[name].bind(logger) : ignored);
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

const flushEveryMs = 100;
const flushAtCharacters = 32 * 1024;

/**
 * A logger for the one line of each request, at level `info`. It writes the same lines as the logger at a tenth of the cost:
 * formatted directly, written in batches every 100 ms. Does nothing if the level is above `info`.
 */
export function createLineLog({
  service,
  level,
  production,
}: LoggerOptions): (message: string, fields: object) => void {
  if (level !== 'info' && level !== 'debug') return () => undefined;
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '') process.stdout.write(lines);
    lines = '';
  };
  process.once('exit', flush);

  return (message, fields) => {
    const json = JSON.stringify(fields);
    const timestamp = timestampOf(Date.now());
    lines += production
      ? `{"level":"info","message":"${message}",${json.slice(1, -1)},"service":"${service}","timestamp":"${timestamp}"}\n`
      : `${timestamp.slice(11, 23)} info ${message} ${json}\n`;
    if (lines.length > flushAtCharacters) flush();
    else timer ??= setTimeout(flush, flushEveryMs).unref();
  };
}

let cachedSecond = Number.NaN;
let upToSecond = '';

/** Formats the date once a second, since that takes longer than the rest of the line. */
function timestampOf(now: number): string {
  const ms = now % 1000;
  if (now - ms !== cachedSecond) {
    cachedSecond = now - ms;
    upToSecond = new Date(cachedSecond).toISOString().slice(0, -4);
  }
  return `${upToSecond}${String(ms).padStart(3, '0')}Z`;
}

/** How deep causes are logged: an error may be its own cause. */
const maxCauseDepth = 5;

function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = 'code' in error ? { code: error.code } : {};
  if (depth === maxCauseDepth) return { name, message, ...code };
  const deeper = (inner: unknown) => describe(inner, depth + 1);
  const cause = error.cause === undefined ? {} : { cause: deeper(error.cause) };
  // A refused connection to a name with several addresses is an AggregateError with an empty message.
  const errors = error instanceof AggregateError ? { errors: error.errors.map(deeper) } : {};
  return { name, message, stack, ...code, ...cause, ...errors };
}

/** Logging must not fail: fields that JSON cannot hold are formatted by `inspect`. */
function asText(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch {
    return inspect(fields, { breakLength: Number.POSITIVE_INFINITY });
  }
}
