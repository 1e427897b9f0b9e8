import { loadSettings as loadDispatcherSettings } from '../../webhook-dispatcher/config.ts';
import { loadSettings, portsOf, publicUrlsOf, servicesOf } from '../config.ts';

const env = {
  OPS_PORT: '4030',
  TICKET_API_PORT: '4000',
  TS_API_PORT: '4001',
  DOWNLOAD_PORT: '4002',
  PUBLIC_TICKET_API_URL: 'http://127.0.0.1:4000',
  PUBLIC_TS_API_URL: 'http://127.0.0.1:4001',
  PUBLIC_DOWNLOAD_URL: 'http://127.0.0.1:4002',
  IDENTITY_URL: 'http://127.0.0.1:4010',
  TICKET_URL: 'http://127.0.0.1:4011',
  WEBHOOK_DISPATCHER_URL: 'http://127.0.0.1:4012',
  INTERNAL_TOKEN_PRIVATE_KEY: 'k1:MC4CAQ',
};

test('the settings of the launcher suffice; the rest has the documented defaults', () => {
  const settings = loadSettings(env);
  expect(settings).toMatchObject({
    RATE_LIMIT_PER_MINUTE: 600,
    MAX_IN_FLIGHT: 1000,
    MAX_IN_FLIGHT_PER_ADDRESS: 500,
    MAX_IN_FLIGHT_PER_CREDENTIAL: 300,
    MAX_CONNECTIONS_PER_ADDRESS: 1000,
    UPSTREAM_TIMEOUT: 15_000,
    TRUSTED_PROXIES: 0,
    ACCESS_LOG_SAMPLE_RATE: 1,
    ALLOWED_ORIGINS: '',
  });
  expect(portsOf(settings)).toEqual({ ticket: 4000, ts: 4001, download: 4002 });
  expect(publicUrlsOf(settings).ts).toBe('http://127.0.0.1:4001');
  expect([...servicesOf(settings).keys()]).toEqual(['identity', 'ticket', 'webhook-dispatcher']);
  expect(servicesOf(loadSettings({ ...env, PURCHASE_URL: 'http://p' })).get('purchase')).toBe('http://p');
});

test('the store of rate limits may be a replica set, and nothing but a MongoDB', () => {
  const load = (url: string) => loadSettings({ ...env, RATE_LIMIT_STORE_URL: url }).RATE_LIMIT_STORE_URL;
  const url = 'mongodb://gateway:word@a:27017,b:27017,c:27017/?replicaSet=rs0';
  expect(load(url)).toBe(url);
  expect(() => load('http://store')).toThrow('RATE_LIMIT_STORE_URL');
});

test.each(Object.keys(env))('without %s it does not start, and says so', (name) => {
  expect(() => loadSettings({ ...env, [name]: undefined })).toThrow(name);
});

test.each([
  ['RATE_LIMIT_PER_MINUTE', '0'],
  ['UPSTREAM_TIMEOUT', '10'],
  ['TRUSTED_PROXIES', '-1'],
  ['ACCESS_LOG_SAMPLE_RATE', '2'],
  ['MAX_IN_FLIGHT', 'many'],
  ['MAX_IN_FLIGHT_PER_ADDRESS', '0'],
  ['MAX_IN_FLIGHT_PER_CREDENTIAL', '-1'],
  ['MAX_CONNECTIONS_PER_ADDRESS', ''],
  ['ALLOWED_ORIGINS', 'example.com'],
  ['PUBLIC_TS_API_URL', 'ts.example.com'],
  ['TICKET_URL', 'ftp://ticket'],
  ['INTERNAL_TOKEN_PRIVATE_KEY', 'no-key-id'],
])('%s=%s is refused by name, and not repeated', (name, value) => {
  expect(() => loadSettings({ ...env, [name]: value })).toThrow(name);
  if (name.includes('KEY')) expect(() => loadSettings({ ...env, [name]: value })).not.toThrow(value);
});

test('the test of an endpoint that hangs reports that well before the gateway times out', () => {
  const dispatcher = {
    MONGODB_URL: 'mongodb://127.0.0.1:1',
    AMQP_URL: 'amqp://127.0.0.1:1',
    PORT: '1',
    OPS_PORT: '1',
    INTERNAL_TOKEN_PUBLIC_KEYS: 'k1:MC4CAQ',
    CREDENTIALS_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  };
  const { WEBHOOK_TIMEOUT } = loadDispatcherSettings(dispatcher);
  expect(WEBHOOK_TIMEOUT).toBeLessThanOrEqual(loadSettings(env).UPSTREAM_TIMEOUT - 5_000);
});
