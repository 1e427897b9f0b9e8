import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeSettings } from '@app/runtime';
import { makeKeys, serviceEnvironment, serviceTable } from '@app/start';
import { UsageError } from '@app/start/infra';
import { parseArguments } from '../arguments.ts';
import { checkSettings } from '../check-settings.ts';
import { containerEnvironment } from '../container-environment.ts';
import { nameErrors } from '../env-file.ts';
import { makeSecrets } from '../make-secrets.ts';
import { type ServiceName, serviceSettings } from '../service-settings.ts';

const names = Object.keys(serviceSettings) as ServiceName[];

const publicAddresses = {
  PUBLIC_TICKET_API_URL: 'https://api.example.com',
  PUBLIC_TS_API_URL: 'https://ts.example.com',
  PUBLIC_DOWNLOAD_URL: 'https://files.example.com',
};

/** One environment with all that production needs. */
function production(): NodeJS.ProcessEnv {
  const keys = makeKeys();
  const settings = {
    base: 4000,
    keys,
    certificates: null,
    mongodb: 'mongodb://a:b@mongodb/?replicaSet=rs0&tls=true',
    amqp: 'amqps://a:b@rabbitmq',
    env: { ...publicAddresses, NODE_ENV: 'production' },
  };
  return Object.assign({}, ...serviceTable.map((entry) => serviceEnvironment(entry, serviceTable, settings)), {
    WEBHOOK_ALLOW_NETWORKS: '',
    PROVIDER_SANDBOX_URL: '',
  });
}

const sentences = async (env: NodeJS.ProcessEnv | ((name: ServiceName) => NodeJS.ProcessEnv), services = names) =>
  (await checkSettings(services, typeof env === 'function' ? env : () => env)).map(
    ({ level, sentence, services: of }) => `${of.join(', ') || 'together'} ${level} ${sentence}`,
  );

test('the services are those that the platform starts', () => {
  expect([...names].sort()).toEqual(serviceTable.map(({ name }) => name).sort());
});

test('an environment that has everything is told nothing', async () => {
  expect(await sentences(production())).toEqual([]);
});

test('what is missing is said for each service that needs it', async () => {
  const { PLATFORM_ADMIN_TOKEN: _token, CREDENTIALS_KEYS: _keys, ...env } = production();
  const found = await sentences(env);
  expect(found).toEqual([
    expect.stringMatching(/^identity error "PLATFORM_ADMIN_TOKEN" is required \(.+\)$/),
    expect.stringMatching(/^webhook-dispatcher, connection error "CREDENTIALS_KEYS" is required \(.+\)$/),
  ]);
  expect(await sentences(env, ['ticket'])).toEqual([]);
});

test('keys that do not fit each other are said', async () => {
  const env = { ...production(), INTERNAL_TOKEN_PUBLIC_KEYS: makeKeys().INTERNAL_TOKEN_PUBLIC_KEYS };
  expect(await sentences(env)).toEqual([expect.stringContaining('together error INTERNAL_TOKEN_PUBLIC_KEYS')]);
});

test('what is wrong or doubtful in several services is said once, with their names', async () => {
  const data = names.filter((name) => name !== 'gateway' && name !== 'console').join(', ');
  expect(await sentences({ ...production(), AMQP_URL: 'amqp://a:b@rabbitmq' })).toEqual([
    expect.stringMatching(new RegExp(`^${data} warning AMQP_URL is amqp://`)),
  ]);
});

test.each(['x', 'a:short', `a:${Buffer.alloc(33).toString('base64')}`])(
  'keys in another form, %s, are refused in words',
  async (keys) => {
    const found = await sentences({ ...production(), CREDENTIALS_KEYS: keys }, ['identity']);
    expect(found).toEqual([
      expect.stringMatching(/^identity error "CREDENTIALS_KEYS" must be id:base64,… with 32 bytes each \(/),
    ]);
  },
);

test.each([
  ['TRUSTED_PROXYS', 'TRUSTED_PROXYS is no setting: nobody reads it'],
  ['SMPT_URL_FILE', 'SMPT_URL_FILE is no setting: nobody reads it'],
  ['STORAGE_URL', expect.stringMatching(/^STORAGE_URL is a secret/)],
])('%s in .env is refused', (name, sentence) => {
  expect(nameErrors(['LOG_LEVEL', 'PROVIDER_AFNOR_ACME_URL', 'COMPOSE_FILE', 'VERSION', name])).toEqual([sentence]);
});

test.each([
  ['PUBLIC_TS_API_URL', 'http://ts.example.com'],
  ['MONGODB_URL', 'mongodb://mongodb/?replicaSet=rs0&tls=true'],
  ['MONGODB_URL', 'mongodb://a:b@mongodb/?replicaSet=rs0'],
  ['MONGODB_URL', 'mongodb://a:b@mongodb/?tls=false'],
  ['MONGODB_URL', 'mongodb+srv://a:b@cluster.example/?tls=false'],
  ['RATE_LIMIT_STORE_URL', 'mongodb://a:b@mongodb/?replicaSet=rs0'],
  ['AMQP_URL', 'amqps://rabbitmq'],
  ['AMQP_URL', 'amqp://a:b@rabbitmq'],
  ['WEBHOOK_ALLOW_NETWORKS', '10.0.0.0/8'],
  ['SSO_ALLOW_NETWORKS', '10.0.0.0/8'],
  ['PROVIDER_SANDBOX_URL', 'http://sandbox:8080'],
])('%s=%s is doubtful in production', async (name, value) => {
  const found = await sentences({ ...production(), [name]: value });
  expect(found.length).toBeGreaterThan(0);
  for (const sentence of found) expect(sentence).toMatch(new RegExp(` warning ${name} `));
});

test.each([
  ['MONGODB_URL', 'mongodb+srv://a:b@cluster.example/?retryWrites=true'],
  ['MONGODB_URL', 'mongodb://a:b@one,two/?replicaSet=rs0&ssl=true'],
])('%s=%s has TLS, and is no doubt', async (name, value) => {
  expect(await sentences({ ...production(), [name]: value })).toEqual([]);
});

describe('the secrets of a folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    makeSecrets(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const checked = async (env: NodeJS.ProcessEnv) => await sentences((name) => containerEnvironment(name, folder, env));

  test('all that is made by `secrets` is taken from there: only the public addresses are asked for', async () => {
    const asked = (await checked({})).filter((one) => one.includes(' error '));
    expect(new Set(asked.map((one) => /"(\w+)"/.exec(one)?.[1]))).toEqual(
      new Set(['PUBLIC_TICKET_API_URL', 'PUBLIC_TS_API_URL', 'PUBLIC_DOWNLOAD_URL']),
    );
  });

  test('with those every service would start, and the doubts are that MongoDB and RabbitMQ are spoken to without TLS', async () => {
    const found = await checked(publicAddresses);
    expect(found.length).toBeGreaterThan(0);
    for (const one of found) expect(one).toMatch(/ warning (MONGODB_URL|AMQP_URL) .*without TLS/);
  });

  test('a file that is missing is said', async () => {
    rmSync(join(folder, 'SESSION_KEYS'));
    const found = (await checked(publicAddresses)).filter((one) => one.includes(' error '));
    expect(found).toEqual([expect.stringMatching(/^identity error "SESSION_KEYS" is required/)]);
  });
});

const described = names.flatMap((service) =>
  describeSettings(serviceSettings[service].settingSchemas).map((setting) => ({ service, ...setting })),
);

test('each setting says what it means, and its unit or form', () => {
  expect(described.filter(({ meaning, unit }) => meaning === '' || unit === '')).toEqual([]);
});

test('a setting that holds a key or a password is marked as secret, and no other', () => {
  const marked = described.flatMap(({ name, isSecret }) => (isSecret ? name : []));
  expect([...new Set(marked)].sort()).toEqual([
    'AMQP_URL',
    'CREDENTIALS_KEYS',
    'DOWNLOAD_LINK_KEYS',
    'IMAP_URL',
    'INTERNAL_TOKEN_PRIVATE_KEY',
    'MAIL_INBOUND_SECRET',
    'MONGODB_URL',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'PLATFORM_ADMIN_TOKEN',
    'PLATFORM_ADMIN_TOKEN_PREVIOUS',
    'RATE_LIMIT_STORE_URL',
    'SESSION_KEYS',
    'SMTP_URL',
    'STORAGE_URL',
    'WEBHOOK_PROXY_URL',
  ]);
});

test.each([
  ['duration', 'PROVIDER_POLL_INTERVAL', '5m'],
  ['list of durations', 'PROVIDER_RETRY_DELAYS', '1m,5m,30m,2h,12h'],
  ['number', 'PROVIDER_CONCURRENCY', '16'],
  ['address', 'PROVIDER_PENNYLANE_URL', 'https://app.pennylane.com/api/external/v2'],
])('a default is described as it would be written: a %s', (_kind, name, expected) => {
  const found = described.find((one) => one.service === 'connection' && one.name === name);
  expect(found?.default).toBe(expected);
});

test('a default that production has alone is described beside the other', () => {
  const found = describeSettings({}).find(({ name }) => name === 'DRAIN_DELAY');
  expect(found).toMatchObject({ default: '5s', developmentDefault: '0s', isRequired: false });
});

test.each<[string[], unknown]>([
  [['check'], { name: 'check', services: names, envFile: null, secretsFolder: null }],
  [['check', 'ticket'], { name: 'check', services: ['ticket'], envFile: null, secretsFolder: null }],
  [
    ['check', '--env-file', '.env', '--secrets', 'secrets'],
    { name: 'check', services: names, envFile: '.env', secretsFolder: 'secrets' },
  ],
  [
    ['check', '--secrets', 'secrets', 'ticket'],
    { name: 'check', services: ['ticket'], envFile: null, secretsFolder: 'secrets' },
  ],
  [['secrets', 'secrets'], { name: 'secrets', folder: 'secrets' }],
  [['compose'], { name: 'compose' }],
])('npm run ops -- settings %j', (args, command) => {
  expect(parseArguments(args)).toEqual(command);
});

test.each([
  [[]],
  [['check', 'tickets']],
  [['check', '--secrets']],
  [['secrets']],
  [['secrets', 'a', 'b']],
  [['secrets', 'a', '--env-file', '.env']],
  [['compose', 'x']],
  [['show']],
])('npm run ops -- settings %j is answered by the usage', (args) => {
  expect(() => parseArguments(args)).toThrow(UsageError);
});
