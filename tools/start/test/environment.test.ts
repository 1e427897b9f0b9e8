import { sandboxAddress, serviceEnvironment } from '../environment.ts';
import { makeKeys } from '../keys.ts';
import { serviceTable } from '../service-table.ts';

const keys = makeKeys();
const environment = (name: string, env: NodeJS.ProcessEnv = {}) => {
  const entry = serviceTable.find((service) => service.name === name);
  if (!entry) throw new Error(`no service ${name}`);
  const settings = { base: 5000, keys, mongodb: 'mongodb://m', amqp: 'amqp://a', certificates: '/ca.pem', env };
  return serviceEnvironment(entry, serviceTable, settings);
};

test('only the gateway can sign internal tokens', () => {
  const holders = serviceTable.filter(({ name }) => environment(name)['INTERNAL_TOKEN_PRIVATE_KEY']);
  expect(holders.map(({ name }) => name)).toEqual(['gateway']);
});

test('the gateway is told where the services are', () => {
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
  ['ticket', { PUBLIC_DOWNLOAD_URL: '' }, 'PUBLIC_DOWNLOAD_URL', 'http://127.0.0.1:5002'],
  ['connection', {}, 'PROVIDER_SANDBOX_URL', 'http://127.0.0.1:5020'],
  ['connection', { PROVIDER_SANDBOX_URL: 'http://sandbox.test' }, 'PROVIDER_SANDBOX_URL', 'http://sandbox.test'],
  ['identity', { PORT: '80' }, 'PORT', '5010'],
  ['ticket', { MONGODB_URL: 'mongodb://given' }, 'MONGODB_URL', 'mongodb://m'],
])('%s, given %j, has %s = %s', (name, env, setting, value) => {
  expect(environment(name, env)[setting]).toBe(value);
});

test('the stack tells where it calls the sandbox provider, if it does', () => {
  expect(sandboxAddress(serviceTable, { base: 5000, env: {} })).toBe('http://127.0.0.1:5020');
  expect(sandboxAddress(serviceTable, { base: 5000, env: { PROVIDER_SANDBOX_URL: 'http://a.test' } })).toBe(
    'http://a.test',
  );
  expect(sandboxAddress([], { base: 5000, env: {} })).toBeNull();
});
