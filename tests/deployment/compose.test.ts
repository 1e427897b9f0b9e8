import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type ServiceName, serviceSettings } from '@app/ops';
import { describeSettings } from '@app/runtime';
import { serviceTable } from '@app/start';
import { composeVariables } from '../../tools/ops/settings/env-file.ts';
import { makeSecrets } from '../../tools/ops/settings/make-secrets.ts';
import { prepareCompose } from '../../tools/ops/settings/prepare-compose.ts';
import { images } from '../../tools/start/infra/versions.ts';
import { names, read, root, settingErrors } from './manifest-settings.ts';
import { composeIn, type Manifest } from './rendered-manifests.ts';

const compose = composeIn('docker-compose.yml');
const development = composeIn('docker-compose.dev.yml');
const containers = Object.entries<Manifest>(compose.services);
const container = (name: string): Manifest => compose.services[name];
const ours = [...names, 'migrate', 'operations'];

const secretsOf = (name: string): string[] =>
  (container(name).secrets ?? []).map((one: string | { source: string }) =>
    typeof one === 'string' ? one : one.source,
  );
/** By the names under which they are mounted. */
const mountedIn = (name: string): string[] =>
  (container(name).secrets ?? []).map((one: string | { target: string }) =>
    typeof one === 'string' ? one : one.target,
  );
const settingsOf = (name: string, ...files: Manifest[]): Record<string, string | null> =>
  Object.assign({}, ...files.map(({ services }) => services[name]?.environment));

test('every service of the platform is there, in its own image', () => {
  for (const name of names)
    expect(container(name)?.build).toMatchObject({ context: '.', target: 'service', args: { SERVICE: name } });
  expect(Object.keys(compose.services).sort()).toEqual(
    [...ours, 'mongodb', 'mongodb-init', 'rabbitmq', 'backup', 'restore'].sort(),
  );
});

test('images are built, pulled and run under one prefix and the version of this release, which they know', () => {
  const version = `\${VERSION:-${JSON.parse(read('package.json')).version}}`;
  for (const name of ours) {
    const image = name === 'migrate' ? 'operations' : name;
    expect(container(name).image).toBe(`\${IMAGE_PREFIX:-facility-platform}/${image}:${version}`);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Compose's own
    expect(container(name).build.args).toMatchObject({ VERSION: version, REVISION: '${REVISION:-unknown}' });
  }
});

test.each(names)('%s is given the settings that it reads, all that it needs, and secrets as files', (name) => {
  expect(settingErrors(name, Object.keys(settingsOf(name, compose, development)))).toEqual([]);
});

describe('with the secrets that npm run ops -- settings makes', () => {
  let folder: string;
  beforeAll(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'compose-')), 'secrets');
    makeSecrets(folder);
  });
  afterAll(() => rmSync(join(folder, '..'), { recursive: true }));

  const environmentOf = (name: ServiceName, ...files: Manifest[]) => {
    const given = Object.entries(settingsOf(name, ...files)).filter((one): one is [string, string] => one[1] !== null);
    return Object.fromEntries(
      given.map(([variable, value]) => [
        variable,
        value
          .replace('/run/secrets', /(MONGODB|AMQP)_URL$/.test(value) ? join(folder, name) : folder)
          .replace(/^\$\{\w+:-(.*)\}$/, '$1'),
      ]),
    );
  };

  test.each(names)('%s starts in development', (name) => {
    expect(() => serviceSettings[name].loadSettings(environmentOf(name, compose, development))).not.toThrow();
  });

  test('the platform does not start without the addresses that its users see', () => {
    const failing = names.filter((name) => {
      try {
        serviceSettings[name].loadSettings(environmentOf(name, compose));
        return false;
      } catch (error) {
        expect((error as Error).message).toMatch(/"PUBLIC_\w+_URL" is required/);
        return true;
      }
    });
    expect(failing).toEqual(['gateway', 'identity', 'ticket', 'invoice-reconciliation', 'console']);
  });

  test('each is made, and each is used', () => {
    const used = new Set(containers.flatMap(([name]) => secretsOf(name)));
    expect([...used].sort()).toEqual(Object.keys(compose.secrets).sort());
    for (const [name, { file }] of Object.entries<Manifest>(compose.secrets)) {
      const path = name.replace(/-(MONGODB_URL|AMQP_URL)$/, '/$1');
      expect(file).toBe(`\${SECRETS_DIR:-./secrets}/${path}`);
      expect(existsSync(join(folder, path))).toBe(true);
    }
  });
});

test.each(names)('every setting of %s reaches it: its secrets as files, all others by .env', (name) => {
  const settings = describeSettings(serviceSettings[name].settingSchemas);
  const asFile = settings.filter((one) => one.isSecret || one.name === 'INTERNAL_TOKEN_PUBLIC_KEYS');
  expect(mountedIn(name).sort()).toEqual(asFile.map((one) => one.name).sort());
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Compose's own
  expect(container(name).env_file).toEqual([{ path: '${ENV_FILE:-.env}', required: false }]);
  const fixed = ['NODE_ENV', 'PORT', 'OPS_PORT', 'TICKET_API_PORT', 'TS_API_PORT', 'DOWNLOAD_PORT'];
  const addresses = Object.keys(serviceTable.find((entry) => entry.name === name)?.addresses ?? {});
  const decided = Object.keys(settingsOf(name, compose)).filter((variable) => !variable.endsWith('_FILE'));
  expect([...fixed, ...addresses]).toEqual(expect.arrayContaining(decided));
});

test('development has images, settings and secrets of its own, and does not start without the variables that say so', async () => {
  const variables = parseEnv(read('docker-compose.dev.env'));
  expect(variables).toMatchObject({ [/^\$\{(\w+):\?/.exec(development.name)?.[1] ?? '']: expect.any(String) });
  const filled = (text: string, given: NodeJS.Dict<string>) =>
    text.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, otherwise) => given[name] ?? otherwise);
  const ofHost = [
    ...ours.flatMap((name) => [container(name).image, container(name).env_file[0].path]),
    ...Object.values<Manifest>(compose.secrets).map(({ file }) => file),
  ];
  for (const text of ofHost) expect(filled(text, variables)).not.toBe(filled(text, {}));
  const folder = mkdtempSync(join(tmpdir(), 'development-'));
  copyFileSync(join(root, 'docker-compose.dev.yml'), join(folder, 'docker-compose.dev.yml'));
  await prepareCompose(folder);
  for (const { file } of Object.values<Manifest>(compose.secrets))
    expect([file, existsSync(join(folder, filled(file, variables)))]).toEqual([file, true]);
  rmSync(folder, { recursive: true });
});

test('what Compose replaces in its files are the variables that `settings check` knows', () => {
  const used = ['docker-compose.yml', 'docker-compose.observability.yml'].flatMap((file) =>
    [...read(file).matchAll(/\$\{([A-Z_]+)/g)].map(([, variable]) => variable),
  );
  expect([...new Set(used)].sort()).toEqual([...composeVariables].sort());
});

test.each(ours)('every file that %s reads a setting from is mounted', (name) => {
  const files = Object.entries(settingsOf(name, compose)).filter(([variable]) => variable.endsWith('_FILE'));
  expect(files.map(([, path]) => path).sort()).toEqual(
    mountedIn(name)
      .map((secret) => `/run/secrets/${secret}`)
      .sort(),
  );
  for (const [variable, path] of files) expect(`/run/secrets/${variable.replace(/_FILE$/, '')}`).toBe(path);
});

test('each service speaks to MongoDB and RabbitMQ as a user of its own, and no container but theirs knows the root', () => {
  for (const name of ours)
    for (const source of secretsOf(name).filter((one) => /-(MONGODB|AMQP)_URL$/.test(one)))
      expect(source).toMatch(new RegExp(`^${name === 'operations' ? 'migrate' : name}-`));
  const knowing = containers.flatMap(([name]) => (secretsOf(name).includes('mongodb-password') ? name : []));
  expect(knowing).toEqual(['mongodb', 'mongodb-init']);
});

test.each(names)('the addresses that %s is given lead to that service', (name) => {
  const addresses = serviceTable.find((entry) => entry.name === name)?.addresses ?? {};
  for (const [setting, target] of Object.entries(addresses)) {
    const { PORT, TICKET_API_PORT } = container(target).environment;
    const port = PORT ?? TICKET_API_PORT;
    expect(container(name).environment[setting]).toBe(`http://${target}:${port}`);
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
  expect(containers.flatMap(([name, { ports }]) => (ports ? name : []))).toEqual(['gateway']);
  expect(containers.flatMap(([name, { networks = [] }]) => (networks.includes('outside') ? name : [])).sort()).toEqual([
    'connection',
    'gateway',
    'identity',
    'webhook-dispatcher',
  ]);
  expect(compose.networks.inside).toEqual({ internal: true });
  for (const [, { networks = [] }] of containers) expect(networks).toContain('inside');
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
    expect(container('gateway').depends_on[name]).toEqual({ condition: 'service_healthy' });
  }
});

test('MongoDB and RabbitMQ are those that tests and npm start use, in exact versions', () => {
  expect(container('mongodb').image).toBe(images.mongodb);
  for (const name of ['mongodb-init', 'backup', 'restore']) expect(container(name).image).toBe(images.mongodb);
  expect(container('rabbitmq').image).toBe(images.rabbitmq);
  for (const image of Object.values(images)) expect(image).toMatch(/:\d+\.\d+\.\d+(-|$)/);
});
