import { providerOf, providerSettings, providers } from '../registry.ts';

const addresses = (settings: Record<string, string | undefined>) =>
  Object.fromEntries([...providers(settings)].map(([key, { baseUrl }]) => [key, baseUrl]));
const pennylane = { pennylane: 'https://app.pennylane.com/api/external/v2' };

test.each<[string, Record<string, string | undefined>, Record<string, string>]>([
  ['without settings, the one with a public address', {}, pennylane],
  ['set but empty', { PROVIDER_PENNYLANE_URL: '', PROVIDER_SANDBOX_URL: '', PROVIDER_AFNOR_X_URL: '' }, {}],
  [
    'addresses given',
    { PROVIDER_SANDBOX_URL: 'http://127.0.0.1:8090', PROVIDER_PENNYLANE_URL: 'https://p.example/v2' },
    { sandbox: 'http://127.0.0.1:8090', pennylane: 'https://p.example/v2' },
  ],
  [
    'several platforms of one API',
    { PROVIDER_AFNOR_URL: 'https://a.example', PROVIDER_AFNOR_MY_PA_URL: 'https://b.example/flow/v1' },
    { ...pennylane, afnor: 'https://a.example', 'afnor-my-pa': 'https://b.example/flow/v1' },
  ],
  [
    'one API, one operator',
    { PROVIDER_SANDBOX_OTHER_URL: 'https://a.example', PROVIDER_OTHER_URL: 'https://b.example' },
    pennylane,
  ],
])('%s', (_name, settings, expected) => {
  expect(addresses(settings)).toEqual(expected);
});

test.each([
  ['PROVIDER_SANDBOX_URL', 'localhost:8090'],
  ['PROVIDER_SANDBOX_URL', 'ftp://provider.example'],
  ['PROVIDER_AFNOR_URL', 'https://user:password@provider.example'],
  ['PROVIDER_AFNOR_X_URL', 'https://provider.example/?key=secret'],
  ['PROVIDER_AFNOR_TOKEN_URL', 'provider.example/token'],
])('%s=%s stops the start and is named, without its value', (setting, value) => {
  const act = () => providers({ PROVIDER_AFNOR_URL: 'https://a.example', [setting]: value });
  expect(act).toThrow(setting);
  expect(act).not.toThrow(value);
});

test('every setting that it reads is declared, with its default', () => {
  const defaults = Object.entries(providerSettings).map(([name, schema]) => [name, schema.validate(undefined).value]);
  expect(Object.fromEntries(defaults)).toEqual({
    PROVIDER_SANDBOX_URL: undefined,
    PROVIDER_PENNYLANE_URL: pennylane.pennylane,
    PROVIDER_AFNOR_URL: undefined,
    PROVIDER_AFNOR_TOKEN_URL: undefined,
    PROVIDER_AFNOR_DIRECTORY_URL: undefined,
    'PROVIDER_AFNOR_<NAME>_URL': undefined,
    'PROVIDER_AFNOR_<NAME>_TOKEN_URL': undefined,
    'PROVIDER_AFNOR_<NAME>_DIRECTORY_URL': undefined,
  });
});

test('the addresses of a token endpoint and a directory belong to their operator, and are no operators themselves', () => {
  const settings = {
    PROVIDER_AFNOR_URL: 'https://a.example',
    PROVIDER_AFNOR_TOKEN_URL: 'https://a.example/token',
    PROVIDER_AFNOR_MY_PA_URL: 'https://b.example',
    PROVIDER_AFNOR_MY_PA_TOKEN_URL: 'https://b.example/token',
    PROVIDER_AFNOR_MY_PA_DIRECTORY_URL: 'https://c.example',
  };
  const found = [...providers(settings)].map(([key, { tokenUrl, directoryUrl }]) => [key, tokenUrl, directoryUrl]);
  expect(found).toEqual([
    ['pennylane', null, null],
    ['afnor', 'https://a.example/token', null],
    ['afnor-my-pa', 'https://b.example/token', 'https://c.example'],
  ]);
});

test.each([
  ['sandbox', 'sandbox'],
  ['afnor', 'afnor'],
  ['afnor-my-pa', 'afnor-my-pa'],
  ['sandbox-x', undefined],
  ['afnor-', undefined],
  ['', undefined],
  ['constructor', undefined],
])('the provider of the key %j', (key, found) => {
  expect(providerOf(key)?.key).toBe(found);
});
