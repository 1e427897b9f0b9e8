import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceTable } from '../service-table.ts';
import { trustedCertificates } from '../settings/certificates.ts';
import { externalAddress, serviceEnvironment } from '../settings/environment.ts';
import { loadKeys, makeKeys } from '../settings/keys.ts';
import { securityNotes } from '../stack/summary.ts';

const keys = makeKeys();
const environment = (name: string, env: NodeJS.ProcessEnv = {}, certificates: string | null = '/ca.pem') => {
  const entry = serviceTable.find((service) => service.name === name);
  if (!entry) throw new Error(`no service ${name}`);
  const settings = { base: 5000, keys, mongodb: 'mongodb://m', amqp: 'amqp://a', certificates, env };
  return serviceEnvironment(entry, serviceTable, settings);
};

test('only the gateway can sign internal tokens', () => {
  const holders = serviceTable.filter(({ name }) => environment(name)['INTERNAL_TOKEN_PRIVATE_KEY']);
  expect(holders.map(({ name }) => name)).toEqual(['gateway']);
});

test('the gateway gets the addresses of the services', () => {
  expect(environment('gateway')).toMatchObject({
    IDENTITY_URL: 'http://127.0.0.1:5010',
    TICKET_URL: 'http://127.0.0.1:5011',
    WEBHOOK_DISPATCHER_URL: 'http://127.0.0.1:5012',
    TICKET_API_PORT: '5000',
    OPS_PORT: '5030',
  });
});

test.each([
  ['webhook-dispatcher', {}, 'WEBHOOK_ALLOW_NETWORKS', '127.0.0.0/8,::1/128'],
  ['webhook-dispatcher', { WEBHOOK_ALLOW_NETWORKS: '10.0.0.0/8' }, 'WEBHOOK_ALLOW_NETWORKS', '10.0.0.0/8'],
  ['ticket', {}, 'PUBLIC_DOWNLOAD_URL', 'http://127.0.0.1:5002'],
  ['ticket', { PUBLIC_DOWNLOAD_URL: 'https://files.test' }, 'PUBLIC_DOWNLOAD_URL', 'https://files.test'],
  ['connection', {}, 'PROVIDER_SANDBOX_URL', 'http://127.0.0.1:5020'],
  ['connection', {}, 'PROVIDER_AFNOR_URL', 'http://127.0.0.1:5022/flow-service/v1'],
  ['connection', {}, 'PROVIDER_AFNOR_TOKEN_URL', 'http://127.0.0.1:5022/auth/token'],
  ['connection', { PROVIDER_AFNOR_URL: 'https://pa.test' }, 'PROVIDER_AFNOR_TOKEN_URL', undefined],
  ['connection', { PROVIDER_SANDBOX_URL: 'http://sandbox.test' }, 'PROVIDER_SANDBOX_URL', 'http://sandbox.test'],
  ['identity', { PORT: '80' }, 'PORT', '5010'],
  ['ticket', { MONGODB_URL: 'mongodb://given' }, 'MONGODB_URL', 'mongodb://m'],
])('%s, given %j, has %s = %s', (name, env, setting, value) => {
  expect(environment(name, env)[setting]).toBe(value);
});

test.each(['WEBHOOK_ALLOW_NETWORKS', 'PUBLIC_DOWNLOAD_URL', 'PROVIDER_SANDBOX_URL', 'HOST', 'LOG_LEVEL', 'NODE_ENV'])(
  '%s set to an empty value reaches every service as empty, and takes no default',
  (setting) => {
    for (const { name } of serviceTable) expect(environment(name, { [setting]: '' })[setting]).toBe('');
  },
);

test('a key that is set to an empty value is not replaced by a generated one', () => {
  expect(loadKeys(mkdtempSync(join(tmpdir(), 'keys-')), { SESSION_KEYS: '' }).SESSION_KEYS).toBe('');
});

test('in production no development setting is set, except by the environment', async () => {
  const production = { NODE_ENV: 'production' };
  const certificates = await trustedCertificates('/nowhere', production);
  expect(certificates).toBeNull();
  for (const { name } of serviceTable) {
    const given = environment(name, production, certificates);
    expect(given['NODE_ENV']).toBe('production');
    for (const setting of ['WEBHOOK_ALLOW_NETWORKS', 'PROVIDER_SANDBOX_URL', 'NODE_EXTRA_CA_CERTS'])
      expect([name, setting, given[setting]]).toEqual([name, setting, undefined]);
  }
  expect(externalAddress('PROVIDER_SANDBOX_URL', serviceTable, { base: 5000, env: production })).toBeNull();
  const own = { ...production, WEBHOOK_ALLOW_NETWORKS: '10.0.0.0/8', NODE_EXTRA_CA_CERTS: '/own.pem' };
  expect(environment('webhook-dispatcher', own, certificates)).toMatchObject(own);
});

test('the summary lists the development settings, and in production says that there are none', () => {
  expect(securityNotes(serviceTable, {}).join(' ')).toContain('WEBHOOK_ALLOW_NETWORKS=127.0.0.0/8');
  expect(securityNotes(serviceTable, { WEBHOOK_ALLOW_NETWORKS: '' })).toEqual([]);
  expect(securityNotes(serviceTable, { NODE_ENV: 'production' }).join(' ')).toContain('public addresses alone');
});

test('the stack reports the address of the sandbox provider that it calls, if any', () => {
  expect(externalAddress('PROVIDER_SANDBOX_URL', serviceTable, { base: 5000, env: {} })).toBe('http://127.0.0.1:5020');
  expect(
    externalAddress('PROVIDER_SANDBOX_URL', serviceTable, {
      base: 5000,
      env: { PROVIDER_SANDBOX_URL: 'http://a.test' },
    }),
  ).toBe('http://a.test');
  expect(externalAddress('PROVIDER_SANDBOX_URL', [], { base: 5000, env: {} })).toBeNull();
});
