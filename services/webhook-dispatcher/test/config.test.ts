import { randomBytes } from 'node:crypto';
import { loadSettings } from '../config.ts';

const env = {
  MONGODB_URL: 'mongodb://127.0.0.1:27017',
  AMQP_URL: 'amqp://127.0.0.1',
  PORT: '4012',
  OPS_PORT: '4033',
  INTERNAL_TOKEN_PUBLIC_KEYS: 'k:abc',
  CREDENTIALS_KEYS: `k:${randomBytes(32).toString('base64')}`,
};

test('the defaults are those of docs/webhooks.md', () => {
  expect(loadSettings(env)).toMatchObject({
    WEBHOOK_RETRY_DELAYS: [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000],
    WEBHOOK_TIMEOUT: 10_000,
    WEBHOOK_ALLOW_NETWORKS: [],
    WEBHOOK_ENDPOINT_CONCURRENCY: 16,
  });
});

test('settings are read', () => {
  const given = {
    WEBHOOK_RETRY_DELAYS: '500ms, 1s,2m',
    WEBHOOK_TIMEOUT: '2.5s',
    WEBHOOK_ALLOW_NETWORKS: '10.0.0.0/8, fd00::/8',
    WEBHOOK_ENDPOINT_CONCURRENCY: '3',
  };
  expect(loadSettings({ ...env, ...given })).toMatchObject({
    WEBHOOK_RETRY_DELAYS: [500, 1_000, 120_000],
    WEBHOOK_TIMEOUT: 2_500,
    WEBHOOK_ALLOW_NETWORKS: ['10.0.0.0/8', 'fd00::/8'],
    WEBHOOK_ENDPOINT_CONCURRENCY: 3,
  });
});

test.each([
  ['WEBHOOK_RETRY_DELAYS', '1m,soon'],
  ['WEBHOOK_RETRY_DELAYS', '1m,'],
  ['WEBHOOK_TIMEOUT', '10'],
  ['WEBHOOK_ALLOW_NETWORKS', '10.0.0.0/33'],
  ['WEBHOOK_ALLOW_NETWORKS', 'localhost'],
  ['WEBHOOK_ENDPOINT_CONCURRENCY', '0'],
  ['CREDENTIALS_KEYS', `k:${randomBytes(31).toString('base64')}`],
  ['CREDENTIALS_KEYS', `k:${randomBytes(33).toString('base64')}`],
  ['CREDENTIALS_KEYS', ''],
])('%s=%p stops the start with a message that names it', (name, value) => {
  expect(() => loadSettings({ ...env, [name]: value })).toThrow(name);
});
