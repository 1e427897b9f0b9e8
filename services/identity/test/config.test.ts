import { answersOf, loadSettings } from '../config.ts';

const key = Buffer.alloc(32, 1).toString('base64');
const environment = {
  NODE_ENV: 'production',
  PORT: '4010',
  OPS_PORT: '4031',
  MONGODB_URL: 'mongodb://127.0.0.1:4050',
  AMQP_URL: 'amqp://127.0.0.1:4051',
  INTERNAL_TOKEN_PUBLIC_KEYS: 'a:MCowBQYDK2VwAyEA',
  SESSION_KEYS: `new:${key},old:${key}`,
  PLATFORM_ADMIN_TOKEN: 'x'.repeat(24),
  PUBLIC_TS_API_URL: 'https://ts.example.com',
};

test('a full environment is read, session keys in their order', () => {
  const settings = loadSettings(environment);
  expect(settings.PORT).toBe(4010);
  expect(settings.SESSION_KEYS).toEqual([
    { id: 'new', secret: Buffer.alloc(32, 1) },
    { id: 'old', secret: Buffer.alloc(32, 1) },
  ]);
});

const required = Object.keys(environment).filter((name) => name !== 'NODE_ENV');

test.each(required.flatMap((name) => ['production', 'development', 'test'].map((mode) => [name, mode] as const)))(
  'without %s it does not start in %s, and says so',
  (name, mode) => {
    const { [name]: _, ...rest } = { ...environment, NODE_ENV: mode } as NodeJS.ProcessEnv;
    expect(() => loadSettings(rest)).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(name) }),
    );
  },
);

const answered = {
  SMTP_URL: 'smtp://mail.example.com',
  REPLY_DOMAIN: 'reply.example.com',
  MAIL_INBOUND_SECRET: 'x'.repeat(24),
  GATEWAY_URL: 'http://gateway',
};

test('answers by e-mail need an address of the ticket API, a server that sends, and one way in', () => {
  const load = (more: NodeJS.ProcessEnv) => () => loadSettings({ ...environment, ...more });
  expect(answersOf(load(answered)())).toMatchObject({ domain: 'reply.example.com', gatewayUrl: 'http://gateway' });
  const { MAIL_INBOUND_SECRET: _, ...noWayIn } = answered;
  expect(load({ ...noWayIn, IMAP_URL: 'imaps://a:b@mail.example.com' })).not.toThrow();
  expect(load({ ...answered, REPLY_DOMAIN: '', GATEWAY_URL: '' })).not.toThrow();
  for (const name of ['GATEWAY_URL', 'SMTP_URL', 'MAIL_INBOUND_SECRET']) {
    const missing = name === 'MAIL_INBOUND_SECRET' ? 'IMAP_URL' : name;
    expect(load({ ...answered, [name]: '' })).toThrow(`"${missing}" is required`);
  }
});

test.each([
  ['PLATFORM_ADMIN_TOKEN', 'a-secret-of-23-letters!'],
  ['SESSION_KEYS', 'short:AAAA'],
  ['PUBLIC_TS_API_URL', 'ftp://ts.example.com'],
  ['CREDENTIALS_KEYS', `k:${Buffer.alloc(31).toString('base64')}`],
  ['SMTP_URL', 'https://mail.example.com'],
  ['SMTP_FROM', 'nobody'],
  ['PORT', '99999'],
])('a bad %s is named, its value is not repeated', (name, value) => {
  const act = () => loadSettings({ ...environment, [name]: value });
  expect(act).toThrow(name);
  expect(act).not.toThrow(value);
});
