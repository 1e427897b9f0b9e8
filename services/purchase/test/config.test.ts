import { loadSettings } from '../config.ts';

const environment = {
  PORT: '4013',
  OPS_PORT: '4034',
  MONGODB_URL: 'mongodb://127.0.0.1:4050',
  AMQP_URL: 'amqp://127.0.0.1:4051',
  INTERNAL_TOKEN_PUBLIC_KEYS: 'a:MCowBQYDK2VwAyEA',
  TICKET_URL: 'http://127.0.0.1:4011',
};

test('the storage is that of MongoDB unless another is named', () => {
  expect(loadSettings(environment)).toMatchObject({ PORT: 4013, TICKET_URL: 'http://127.0.0.1:4011' });
  expect(loadSettings(environment).STORAGE_URL).toBeUndefined();
});

test.each(Object.keys(environment))('without %s it does not start, and says so', (name) => {
  const { [name]: _, ...rest } = environment as NodeJS.ProcessEnv;
  expect(() => loadSettings(rest)).toThrow(
    expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(name) }),
  );
});
