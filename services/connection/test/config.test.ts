import { ConfigError } from '@app/runtime';
import { loadSettings } from '../config.ts';

const key = Buffer.alloc(32, 1).toString('base64');
const env = {
  MONGODB_URL: 'mongodb://localhost:27017',
  AMQP_URL: 'amqp://localhost',
  PORT: '4014',
  OPS_PORT: '4035',
  INTERNAL_TOKEN_PUBLIC_KEYS: 'k:abc',
  CREDENTIALS_KEYS: `2026:${key}`,
};

test('settings that are not given have the documented defaults', () => {
  expect(loadSettings(env)).toMatchObject({
    PROVIDER_POLL_INTERVAL: 300_000,
    PROVIDER_RETRY_DELAYS: [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000],
    PROVIDER_TIMEOUT: 10_000,
    CREDENTIALS_KEYS: [{ id: '2026', secret: Buffer.alloc(32, 1) }],
  });
});

test.each([
  ['MONGODB_URL', undefined],
  ['PORT', undefined],
  ['CREDENTIALS_KEYS', undefined],
  ['CREDENTIALS_KEYS', `2026:${Buffer.alloc(33, 1).toString('base64')}`],
  ['CREDENTIALS_KEYS', `2026:${key},2026:${key}`],
  ['PROVIDER_POLL_INTERVAL', 'often'],
  ['PROVIDER_RETRY_DELAYS', '1m,soon'],
  ['PROVIDER_CONCURRENCY', '0'],
])('a wrong %s (%s) is named, and its value is not shown', (name, value) => {
  const load = () => loadSettings({ ...env, [name]: value });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(name);
  if (name === 'CREDENTIALS_KEYS' && value) expect(load).not.toThrow(value);
});
