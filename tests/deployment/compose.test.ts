import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceName, serviceSettings } from '@app/settings';
import { serviceTable } from '@app/start';
import { parse } from 'yaml';
import { images } from '../../libs/infra/versions.ts';
import { makeSecrets } from '../../tools/settings/make-secrets.ts';
import { names, read, settingErrors } from './manifest-settings.ts';

type Container = {
  image?: string;
  build?: { target: string; args?: Record<string, string> };
  environment?: Record<string, string | null>;
  secrets?: (string | { source: string; target: string })[];
  depends_on?: Record<string, { condition: string }>;
  networks?: string[];
  ports?: string[];
  volumes?: string[];
  [option: string]: unknown;
};
type Compose = {
  services: Record<string, Container>;
  networks: Record<string, { internal?: boolean }>;
  secrets: Record<string, { file: string }>;
};

const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;
const override = parse(read('docker-compose.override.yml')) as Compose;
const container = (name: string) => compose.services[name] as Container;
const ours = [...names, 'migrate', 'operations'];

const secretsOf = (name: string) =>
  (container(name).secrets ?? []).map((one) => (typeof one === 'string' ? one : one.source));

test('every service of the platform is there, in its own image', () => {
  for (const name of names)
    expect([name, container(name)?.build]).toEqual([
      name,
      { context: '.', target: 'service', args: { SERVICE: name } },
    ]);
  expect(Object.keys(compose.services).sort()).toEqual([...ours, 'mongodb', 'mongodb-init', 'rabbitmq'].sort());
});

test.each(names)('%s is given the settings that it reads, all that it needs, and secrets as files', (name) => {
  expect(settingErrors(name, Object.keys(container(name).environment ?? {}))).toEqual([]);
  expect(
    settingErrors(name, [
      ...Object.keys(container(name).environment ?? {}),
      ...Object.keys(override.services[name]?.environment ?? {}),
    ]),
  ).toEqual([]);
});

describe('with the secrets that npm run settings makes', () => {
  let folder: string;
  beforeAll(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'compose-')), 'secrets');
    makeSecrets(folder);
  });
  afterAll(() => rmSync(join(folder, '..'), { recursive: true }));

  const environmentOf = (name: ServiceName, files: Compose[]) => {
    const merged = Object.assign({}, ...files.map(({ services }) => services[name]?.environment));
    const given = Object.entries(merged).filter(([, value]) => value !== null) as [string, string][];
    return Object.fromEntries(
      given.map(([variable, value]) => [
        variable,
        value.replace('/run/secrets', folder).replace(/^\$\{\w+:-(.*)\}$/, '$1'),
      ]),
    );
  };

  test.each(names)('%s starts in development', (name) => {
    expect(() => serviceSettings[name].loadSettings(environmentOf(name, [compose, override]))).not.toThrow();
  });

  test('the platform does not start without the addresses that its users see', () => {
    const failing = names.filter((name) => {
      try {
        serviceSettings[name].loadSettings(environmentOf(name, [compose]));
        return false;
      } catch (error) {
        expect((error as Error).message).toMatch(/"PUBLIC_\w+_URL" is required/);
        return true;
      }
    });
    expect(failing).toEqual(['gateway', 'identity', 'ticket', 'invoice-reconciliation', 'console']);
  });

  test('each is made, and each is used', () => {
    const used = new Set(Object.keys(compose.services).flatMap(secretsOf));
    expect([...used].sort()).toEqual(Object.keys(compose.secrets).sort());
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`\${SECRETS_DIR:-./secrets}/${name}`);
      expect(readdirSync(folder)).toContain(name);
    }
  });
});

test.each(names)('%s gets the keys that it may know, and no other secret', (name) => {
  const { keys = [], database } = serviceTable.find((entry) => entry.name === name) ?? {};
  const data = database ? ['MONGODB_URL', 'AMQP_URL', 'INTERNAL_TOKEN_PUBLIC_KEYS'] : [];
  const mail = name === 'webhook-dispatcher' || name === 'identity' ? ['SMTP_URL'] : [];
  expect(secretsOf(name).sort()).toEqual([...keys, ...mail, ...data].sort());
});

test.each(ours)('every file that %s reads a setting from is mounted', (name) => {
  const files = Object.entries(container(name).environment ?? {}).filter(([variable]) => variable.endsWith('_FILE'));
  expect(files.map(([, path]) => path).sort()).toEqual(
    secretsOf(name)
      .map((secret) => `/run/secrets/${secret}`)
      .sort(),
  );
  for (const [variable, path] of files) expect(`/run/secrets/${variable.replace(/_FILE$/, '')}`).toBe(path);
});

test.each(names)('the addresses that %s is given lead to that service', (name) => {
  const addresses = serviceTable.find((entry) => entry.name === name)?.addresses ?? {};
  for (const [setting, target] of Object.entries(addresses)) {
    const port = container(target).environment?.['PORT'];
    expect(container(name).environment?.[setting]).toBe(`http://${target}:${port}`);
  }
});

test.each(ours)('%s has no more rights than it needs', (name) => {
  expect(container(name)).toMatchObject({
    read_only: true,
    init: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    pids_limit: expect.any(Number),
    mem_limit: expect.any(String),
    stop_grace_period: '30s',
  });
  for (const option of ['user', 'privileged', 'cap_add', 'healthcheck', 'network_mode', 'pid']) {
    expect(container(name)).not.toHaveProperty(option);
  }
});

test('only the gateway is reached from outside, and only those that call others reach it', () => {
  const services = Object.entries(compose.services);
  expect(services.flatMap(([name, { ports }]) => (ports ? name : []))).toEqual(['gateway']);
  expect(services.flatMap(([name, { networks = [] }]) => (networks.includes('outside') ? name : [])).sort()).toEqual([
    'connection',
    'gateway',
    'identity',
    'webhook-dispatcher',
  ]);
  expect(compose.networks['inside']).toEqual({ internal: true });
  for (const [, { networks = [] }] of services) expect(networks).toContain('inside');
});

test('services start after the migration, the gateway after them', () => {
  expect(container('migrate').depends_on).toEqual({
    'mongodb-init': { condition: 'service_completed_successfully' },
    rabbitmq: { condition: 'service_healthy' },
  });
  for (const name of names.filter((one) => one !== 'gateway')) {
    const migrated = { migrate: { condition: 'service_completed_successfully' } };
    const hasData = serviceTable.find((entry) => entry.name === name)?.database;
    if (hasData) expect(container(name).depends_on).toMatchObject(migrated);
    expect(container('gateway').depends_on?.[name]).toEqual({ condition: 'service_healthy' });
  }
});

test('MongoDB and RabbitMQ are those that tests and npm start use, in exact versions', () => {
  expect(container('mongodb').image).toBe(images.mongodb);
  expect(container('mongodb-init').image).toBe(images.mongodb);
  expect(container('rabbitmq').image).toBe(images.rabbitmq);
  for (const image of Object.values(images)) expect(image).toMatch(/:\d+\.\d+\.\d+(-|$)/);
});
