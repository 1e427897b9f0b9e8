import { randomBytes } from 'node:crypto';
import Joi from 'joi';
import {
  type CommonSettings,
  ConfigError,
  dataSettings,
  duration,
  loadConfig,
  namedKeys,
} from '../../settings/config.ts';

const usable = { OPS_PORT: '4030' };

function refusal(settings: Record<string, Joi.Schema>, env: NodeJS.ProcessEnv): string {
  try {
    loadConfig(settings, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('the settings were taken');
}

test('settings that are not set have their defaults', () => {
  expect(loadConfig({}, usable)).toEqual({
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    HOST: '127.0.0.1',
    OPS_PORT: 4030,
    NAMESPACE: '',
    DRAIN_DELAY: 0,
    OTEL_TRACES_SAMPLER_ARG: 1,
  });
});

test.each<[string, NodeJS.ProcessEnv, Partial<CommonSettings>]>([
  ['in production', { NODE_ENV: 'production' }, { DRAIN_DELAY: 5_000, HOST: '0.0.0.0' }],
  ['elsewhere', { NODE_ENV: 'test' }, { DRAIN_DELAY: 0, HOST: '127.0.0.1' }],
  [
    'as it is set',
    { NODE_ENV: 'production', DRAIN_DELAY: '10s', HOST: '10.0.0.7' },
    { DRAIN_DELAY: 10_000, HOST: '10.0.0.7' },
  ],
])('for how long a service drains, and where it listens: %s', (_where, env, expected) => {
  expect(loadConfig({}, { ...usable, ...env })).toMatchObject(expected);
});

test("a service's own settings are read beside the common ones, and nothing else of the environment", () => {
  const settings = loadConfig<{ LIMIT: number }>(
    { LIMIT: Joi.number().required() },
    { ...usable, LIMIT: '7', PATH: '/bin' },
  );
  expect(settings).toMatchObject({ LIMIT: 7, OPS_PORT: 4030 });
  expect(settings).not.toHaveProperty('PATH');
});

test('every bad setting is named at once, with what it means', () => {
  const message = refusal(dataSettings, {
    NODE_ENV: 'prod',
    LOG_LEVEL: 'loud',
    OPS_PORT: '99999',
    AMQP_URL: 'http://x',
  });
  const lines = message.split('\n').slice(1);
  expect(lines).toHaveLength(5);
  for (const [index, name] of ['NODE_ENV', 'LOG_LEVEL', 'OPS_PORT', 'MONGODB_URL', 'AMQP_URL'].entries()) {
    expect(lines[index]).toMatch(new RegExp(`^  "${name}" .+ \\(.{5,}\\)$`));
  }
  expect(lines[2]).toContain('port of /healthz, /readyz and /metrics');
});

test.each<[string, Joi.Schema, unknown]>([
  ['a list that may be empty', Joi.string().allow('').default('a,b'), ''],
  ['a setting that may be left out', Joi.string().uri(), undefined],
  ['a number that may be left out', Joi.number(), undefined],
])('%s: set to an empty value it is empty, not its default', (_what, schema, expected) => {
  expect((loadConfig({ SETTING: schema }, { ...usable, SETTING: '' }) as { SETTING?: unknown }).SETTING).toBe(expected);
});

test.each<[string, Joi.Schema]>([
  ['is needed', Joi.string().required()],
  ['has a default text', Joi.string().default('x')],
  ['has a default number', Joi.number().default(600)],
  ['has a default duration', duration.default(10_000)],
])('a setting that %s is refused by name if it is set to an empty value', (_what, schema) => {
  expect(refusal({ SETTING: schema }, { ...usable, SETTING: '' })).toContain('"SETTING"');
});

test.each([
  ['a pattern', Joi.string().pattern(/^kid:\w+$/)],
  ['a named pattern turned round', Joi.string().pattern(/hunter/, { invert: true, name: 'a key' })],
  ['an address', Joi.string().uri({ scheme: 'amqp' })],
  ['a number', Joi.number()],
  ['named keys', namedKeys],
  ['a duration', duration],
  ['the address of MongoDB', dataSettings.MONGODB_URL],
])('a value that fails %s is not repeated: it may be secret', (_check, schema) => {
  expect(refusal({ SETTING: schema }, { ...usable, SETTING: 'hunter2 hunter2' })).not.toContain('hunter2');
});

test.each(['', 'a', 'e2e-42_', 'a'.repeat(24)])('%j may be a namespace', (namespace) => {
  expect(loadConfig({}, { ...usable, NAMESPACE: namespace })).toMatchObject({ NAMESPACE: namespace });
});

test.each(['A', 'a.b', 'a$', 'a'.repeat(25)])('%j may not be a namespace', (namespace) => {
  expect(refusal({}, { ...usable, NAMESPACE: namespace })).toContain('"NAMESPACE"');
});

test.each([
  'mongodb://127.0.0.1:27017/?replicaSet=rs0&directConnection=true',
  'mongodb://user:p%40ss@one,two/admin?authSource=admin',
  'mongodb+srv://user:pass@cluster.example.net/?retryWrites=true',
])('%s may be the address of MongoDB', (url) => {
  const settings = { MONGODB_URL: dataSettings.MONGODB_URL };
  expect(loadConfig(settings, { ...usable, MONGODB_URL: url })).toMatchObject({ MONGODB_URL: url });
});

test.each(['', 'localhost:27017', 'http://localhost', 'mongodb://', 'mongodb:///db', 'mongodb://a b/'])(
  '%j may not be the address of MongoDB',
  (url) => {
    expect(refusal({ MONGODB_URL: dataSettings.MONGODB_URL }, { ...usable, MONGODB_URL: url })).toContain(
      '"MONGODB_URL"',
    );
  },
);

test.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['1.5s', 1_500],
  [' 10s ', 10_000],
  ['0s', 0],
])('%j is a duration of %d ms', (text, ms) => {
  expect(loadConfig<{ WAIT: number }>({ WAIT: duration }, { ...usable, WAIT: text }).WAIT).toBe(ms);
});

test.each(['', '10', 's', '10 s', '-1s', '1w', '1m30s', '1e3s', '.5s'])('%j is no duration', (text) => {
  expect(refusal({ WAIT: duration.required() }, { ...usable, WAIT: text })).toContain('"WAIT"');
});

const secret = (bytes: number) => randomBytes(bytes).toString('base64');

test('named keys are read in their order, the first being the one that signs', () => {
  const [first, second] = [secret(32), secret(64)];
  const { KEYS } = loadConfig<{ KEYS: unknown }>(
    { KEYS: namedKeys },
    { ...usable, KEYS: `2026-b:${first},2026-a:${second}` },
  );
  expect(KEYS).toEqual([
    { id: '2026-b', secret: Buffer.from(first, 'base64') },
    { id: '2026-a', secret: Buffer.from(second, 'base64') },
  ]);
});

test.each([
  ['an entry without a colon', secret(32)],
  ['an entry without a name', `:${secret(32)}`],
  ['an entry without a secret', 'a:'],
  ['a secret that is too short', `a:${secret(31)}`],
  ['a second colon', `a:${secret(32)}:x`],
  ['a comma at the end', `a:${secret(32)},`],
  ['the same name twice', `a:${secret(32)},a:${secret(32)}`],
])('%s: no named keys', (_fault, keys) => {
  expect(refusal({ KEYS: namedKeys }, { ...usable, KEYS: keys })).toContain('"KEYS"');
});
