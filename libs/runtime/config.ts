import Joi from 'joi';

/** Settings of every service. */
export type CommonSettings = {
  NODE_ENV: 'development' | 'production' | 'test';
  LOG_LEVEL: string;
  HOST: string;
  OPS_PORT: number;
  NAMESPACE: string;
};

export const commonSettings = {
  NODE_ENV: Joi.string()
    .valid('development', 'production', 'test')
    .default('development')
    .description('production refuses default secrets and logs JSON lines'),
  LOG_LEVEL: Joi.string()
    .valid('error', 'warn', 'info', 'debug')
    .default('info')
    .description('lowest level that is logged'),
  HOST: Joi.string()
    .default((settings: { NODE_ENV?: string }) => (settings.NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1'))
    .description('address that the service listens on'),
  OPS_PORT: Joi.number().port().required().description('port of /healthz, /readyz and /metrics, not for the outside'),
  NAMESPACE: Joi.string()
    .allow('')
    .pattern(/^[a-z0-9_-]{0,24}$/)
    .default('')
    .description('prefix of database, exchange and queue names: several platforms on one MongoDB and RabbitMQ'),
};

/** Settings of a service with a database and events. */
export const dataSettings = {
  // Not `uri()`: the address of a replica set has several hosts with ports, which RFC 3986 does not allow.
  MONGODB_URL: Joi.string()
    .pattern(/^mongodb(\+srv)?:\/\/[^\s/]+(\/\S*)?$/, 'mongodb://host:port,host:port/?options')
    .required()
    .description('MongoDB replica set; each service keeps its own database on it'),
  AMQP_URL: Joi.string()
    .uri({ scheme: ['amqp', 'amqps'] })
    .required()
    .description('RabbitMQ'),
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
 * Reads a service's settings from the environment, the common ones included.
 * @throws ConfigError naming every setting that is missing or wrong; values are not repeated, they may be secret
 */
export function loadConfig<T>(
  settings: { [Name in Exclude<keyof T, keyof CommonSettings>]-?: Joi.Schema },
  env: NodeJS.ProcessEnv = process.env,
): T & CommonSettings {
  const keys = { ...commonSettings, ...settings };
  const read = Object.fromEntries(Object.entries<Joi.Schema>(keys).map(([name, one]) => [name, withEmptyAsUnset(one)]));
  const schema = Joi.object<T & CommonSettings>(read as Joi.SchemaMap).options({
    abortEarly: false,
    stripUnknown: true,
    messages,
  });
  const { value, error } = schema.validate(env);
  if (!error) return value;
  const faults = error.details.map(({ message, path }) => {
    const name = String(path[0]);
    const meaning = (keys as Record<string, Joi.Schema>)[name]?.describe().flags as
      | { description?: string }
      | undefined;
    return `  ${message}${meaning?.description ? ` (${meaning.description})` : ''}`;
  });
  throw new ConfigError(`The settings in the environment are not usable:\n${faults.join('\n')}`);
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
export const namedKeys = Joi.string().custom((text: string, helpers) => {
  const keys = text.split(',').map((entry) => {
    const [id = '', secret = '', ...rest] = entry.split(':');
    return { id, secret: Buffer.from(rest.length > 0 ? '' : secret, 'base64') };
  });
  const bad = keys.some(({ id, secret }) => !/^[\w.-]{1,64}$/.test(id) || secret.length < 32);
  if (bad) return helpers.message({ custom: '{{#label}} must be id:base64,… with at least 32 bytes each' });
  const twice = new Set(keys.map(({ id }) => id)).size < keys.length;
  return twice ? helpers.message({ custom: '{{#label}} must not have the same id twice' }) : keys;
});
export type NamedKey = { id: string; secret: Buffer };

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Joi for a duration such as `500ms`, `10s`, `5m`, `2h`; gives milliseconds. */
export const duration = Joi.string().custom((text: string, helpers) => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  if (!match) return helpers.message({ custom: '{{#label}} must be a duration such as 500ms, 10s, 5m or 2h' });
  return Number(match[1]) * units[match[2] as keyof typeof units];
});

/** Joi for a list of durations such as `1m,5m,2h`; gives milliseconds. */
export const durations = Joi.string().custom((text: string, helpers) => {
  const all = text.split(',').map((entry) => duration.validate(entry.trim()));
  const wrong = all.some(({ error }) => error !== undefined);
  return wrong
    ? helpers.message({ custom: '{{#label}} must be durations such as 1m,5m,2h' })
    : all.map(({ value }) => value as number);
});

/** Joi for named keys of AES-256: exactly 32 bytes each. */
export const encryptionKeys = namedKeys.custom((keys: NamedKey[], helpers) =>
  keys.every(({ secret }) => secret.length === 32)
    ? keys
    : helpers.message({ custom: '{{#label}}: a key has 32 bytes' }),
);
