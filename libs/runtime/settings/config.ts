import Joi from 'joi';
import { readSettingFiles } from './setting-files.ts';

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Joi for a duration such as `500ms`, `10s`, `5m`, `2h`; gives milliseconds. */
export const duration = Joi.string()
  .custom((text: string, helpers) => {
    const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
    if (!match) return helpers.message({ custom: '{{#label}} must be a duration such as 500ms, 10s, 5m or 2h' });
    return Number(match[1]) * units[match[2] as keyof typeof units];
  })
  .unit('duration');

/** Marks a setting whose value must not be seen: a key, a password, an address with a password in it. */
export function secret<S extends Joi.Schema>(schema: S): S {
  return schema.meta({ secret: true }) as S;
}

/** Joi for the address of a service or host. */
export const webUrl = Joi.string()
  .uri({ scheme: ['http', 'https'] })
  .unit('URL');

/** Settings of every service. */
export type CommonSettings = {
  NODE_ENV: 'development' | 'production' | 'test';
  LOG_LEVEL: string;
  HOST: string;
  OPS_PORT: number;
  NAMESPACE: string;
  /** ms */
  DRAIN_DELAY: number;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_HEADERS?: string;
  OTEL_TRACES_SAMPLER_ARG: number;
};

export const commonSettings = {
  NODE_ENV: Joi.string()
    .valid('development', 'production', 'test')
    .default('development')
    .unit('one of development, production, test')
    .description('production refuses default secrets and logs JSON lines'),
  LOG_LEVEL: Joi.string()
    .valid('error', 'warn', 'info', 'debug')
    .default('info')
    .unit('one of error, warn, info, debug')
    .description('lowest level that is logged'),
  HOST: Joi.string()
    .default((settings: { NODE_ENV?: string }) => (settings.NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1'))
    .unit('address')
    .description('address that the service listens on'),
  OPS_PORT: Joi.number()
    .port()
    .required()
    .unit('port')
    .description('port of /healthz, /readyz and /metrics, not for the outside'),
  NAMESPACE: Joi.string()
    .allow('')
    .pattern(/^[a-z0-9_-]{0,24}$/)
    .default('')
    .unit('at most 24 of a-z, 0-9, _ and -')
    .description('prefix of database, exchange and queue names: several platforms on one MongoDB and RabbitMQ'),
  DRAIN_DELAY: duration
    .default((settings: { NODE_ENV?: string }) => (settings.NODE_ENV === 'production' ? 5_000 : 0))
    .description('how long after SIGTERM the service keeps serving while /readyz is 503, for balancers to notice'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl.description(
    'OpenTelemetry collector to which traces are sent, OTLP over HTTP; unset: nothing is traced',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    Joi.string()
      .pattern(/^[^=,\s]+=[^,]*(,[^=,\s]+=[^,]*)*$/)
      .unit('name=value,…')
      .description('headers of each request to the collector, which may want a key'),
  ),
  OTEL_TRACES_SAMPLER_ARG: Joi.number()
    .min(0)
    .max(1)
    .default(1)
    .unit('0 to 1')
    .description(
      'the share of traces that is recorded, of those that begin here; a caller with a traceparent decides for its own',
    ),
};

/** The address of a MongoDB. Not `uri()`: that of a replica set has several hosts with ports, which RFC 3986 does not allow. */
export const mongoUrl = Joi.string()
  .pattern(/^mongodb(\+srv)?:\/\/[^\s/]+(\/\S*)?$/, 'mongodb://host:port,host:port/?options')
  .unit('mongodb://user:password@host,host/?options');

/** Settings of a service with a database and events. */
export const dataSettings = {
  MONGODB_URL: secret(
    mongoUrl.required().description('MongoDB replica set; each service keeps its own database on it'),
  ),
  AMQP_URL: secret(
    Joi.string()
      .uri({ scheme: ['amqp', 'amqps'] })
      .required()
      .unit('amqps://user:password@host')
      .description('RabbitMQ'),
  ),
};
export type DataSettings = { MONGODB_URL: string; AMQP_URL: string };

/** Joi's own messages repeat the value, which may be a key or a password. */
const messages = {
  'string.pattern.base': '{{#label}} fails to match the required pattern: {{#regex}}',
  'string.pattern.name': '{{#label}} must look like {{#name}}',
  'string.pattern.invert.base': '{{#label}} matches what it must not: {{#regex}}',
  'string.pattern.invert.name': '{{#label}} must not look like {{#name}}',
};

/** The message names each setting that is missing or wrong, with its description. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a service's settings from the environment, the common ones included; `<NAME>_FILE` names a file that holds the value.
 * @param settings their schemas; `<NAME>` in a key stands for any name in capitals, `PROVIDER_AFNOR_<NAME>_URL`
 * @throws ConfigError naming every setting that is missing or wrong; values are not repeated, they may be secret
 */
export function loadConfig<T>(
  settings: { [Name in Exclude<keyof T, keyof CommonSettings>]-?: Joi.Schema },
  env: NodeJS.ProcessEnv = process.env,
): T & CommonSettings {
  const keys: [string, Joi.Schema][] = Object.entries({ ...commonSettings, ...settings });
  const { values, faults: unreadable } = readSettingFiles((name) => keys.some(([key]) => isNamedBy(key, name)), env);
  let schema = Joi.object<T & CommonSettings>().options({ abortEarly: false, stripUnknown: true, messages });
  for (const [key, one] of keys) {
    const read = withEmptyAsUnset(one);
    schema = isPattern(key) ? schema.pattern(patternOf(key), read) : schema.append({ [key]: read } as Joi.SchemaMap);
  }
  const { value, error } = schema.validate(values);
  const unusable = (error?.details ?? []).map(({ message, path }) => {
    const name = String(path[0]);
    const [, described] = keys.find(([key]) => isNamedBy(key, name)) ?? [];
    const { description } = (described?.describe().flags ?? {}) as { description?: string };
    return { name, sentence: `${message}${description ? ` (${description})` : ''}` };
  });
  // A file that cannot be read leaves its setting unset, which would be said twice.
  const faults = [...unreadable, ...unusable.filter(({ name }) => !unreadable.some((one) => one.name === name))];
  if (faults.length === 0) return value;
  const lines = faults.map(({ sentence }) => `  ${sentence}`);
  throw new ConfigError(`The settings in the environment are not usable:\n${lines.join('\n')}`);
}

const isPattern = (key: string) => key.includes('<NAME>');

function patternOf(key: string): RegExp {
  return new RegExp(`^${key.replace('<NAME>', '[A-Z0-9]+(?:_[A-Z0-9]+)*')}$`);
}

/** Whether this setting of the environment is one of those that the key declares. */
export function isNamedBy(key: string, name: string): boolean {
  return isPattern(key) ? patternOf(key).test(name) : key === name;
}

/**
 * An empty value is a value, never replaced by the default. For an optional setting without default it means "not set"; otherwise
 * the schema accepts or refuses the empty text.
 */
function withEmptyAsUnset(schema: Joi.Schema): Joi.Schema {
  const { flags, allow = [] } = schema.describe() as {
    flags?: { presence?: string; default?: unknown };
    allow?: unknown[];
  };
  const needed = flags?.presence === 'required' || flags?.default !== undefined;
  return needed || allow.includes('') ? schema : schema.empty('');
}

/** Joi for a list of named keys, `id:base64,id:base64`: the first signs or encrypts, all verify or decrypt. */
function listOfKeys(size: string, fits: (bytes: number) => boolean) {
  return secret(
    Joi.string()
      .custom((text: string, helpers) => {
        const keys = text.split(',').map((entry) => {
          const [id = '', bytes = '', ...rest] = entry.split(':');
          return { id, secret: Buffer.from(rest.length > 0 ? '' : bytes, 'base64') };
        });
        const bad = keys.some((key) => !/^[\w.-]{1,64}$/.test(key.id) || !fits(key.secret.length));
        if (bad) return helpers.message({ custom: `{{#label}} must be id:base64,… with ${size} each` });
        const twice = new Set(keys.map(({ id }) => id)).size < keys.length;
        return twice ? helpers.message({ custom: '{{#label}} must not have the same id twice' }) : keys;
      })
      .unit(`id:base64,… of ${size} each`),
  );
}
export const namedKeys = listOfKeys('at least 32 bytes', (bytes) => bytes >= 32);
/** The same of AES-256. */
export const encryptionKeys = listOfKeys('32 bytes', (bytes) => bytes === 32);
export type NamedKey = { id: string; secret: Buffer };

/** Joi for a list of durations such as `1m,5m,2h`; gives milliseconds. */
export const durations = Joi.string()
  .custom((text: string, helpers) => {
    const all = text.split(',').map((entry) => duration.validate(entry.trim()));
    const wrong = all.some(({ error }) => error !== undefined);
    return wrong
      ? helpers.message({ custom: '{{#label}} must be durations such as 1m,5m,2h' })
      : all.map(({ value }) => value as number);
  })
  .unit('durations');
