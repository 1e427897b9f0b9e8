import { tokenAuthorization } from '../../http/authorization.ts';
import { ProviderError } from '../../provider-error.ts';

const client = {
  clientId: 'the client',
  clientSecret: 'its secret & more',
  tokenUrl: 'https://a.example/token',
  isFromTenant: false,
};
const { signal } = new AbortController();
let now = 0;
let asked: { form: Record<string, string>; headers: Record<string, string> }[];
let answer: () => Promise<unknown>;
const authorization = () =>
  tokenAuthorization(client, async (form, headers) => {
    asked.push({ form, headers });
    return answer();
  });
const refuses = (status: number) => async () => {
  throw new ProviderError(status === 404 ? 'not_found' : 'refused', `it answered ${status}`, { status });
};

beforeEach(() => {
  asked = [];
  answer = async () => ({ access_token: `token-${asked.length}`, token_type: 'Bearer', expires_in: 1_800 });
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

test('a token is asked for once, by client credentials, and renewed a minute before it ends', async () => {
  const one = authorization();
  expect([await one.header(signal), await one.header(signal)]).toEqual(['Bearer token-1', 'Bearer token-1']);
  expect(asked[0]?.form).toEqual({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  now += 1_739_999;
  expect(await one.header(signal)).toBe('Bearer token-1');
  now += 1;
  expect(await one.header(signal)).toBe('Bearer token-2');
});

test.each([
  ['without its end, for five minutes', {}, 239_999],
  ['that ends soon, until a quarter of its time is left', { expires_in: '40' }, 29_999],
])('a token %s', async (_name, ending, usedMs) => {
  answer = async () => ({ access_token: `token-${asked.length}`, ...ending });
  const one = authorization();
  await one.header(signal);
  now += usedMs;
  expect(await one.header(signal)).toBe('Bearer token-1');
  now += 1;
  expect(await one.header(signal)).toBe('Bearer token-2');
});

test('calls at once share one renewal, and one that is aborted leaves it to the others', async () => {
  const gate = Promise.withResolvers<unknown>();
  answer = () => gate.promise;
  const one = authorization();
  const stop = new AbortController();
  const aborted = one.header(stop.signal);
  const others = [one.header(signal), one.header(signal)];
  stop.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow('stopped');
  gate.resolve({ access_token: 'shared' });
  expect(await Promise.all(others)).toEqual(['Bearer shared', 'Bearer shared']);
  expect(asked).toHaveLength(1);
});

test('a token that was refused is replaced once, however many calls it was refused to', async () => {
  const one = authorization();
  const header = (await one.header(signal)) as string;
  expect([one.refused(header), one.refused(header)]).toEqual([true, true]);
  const renewed = await one.header(signal);
  // A call that began with the old one must not end the new one.
  one.refused(header);
  expect([renewed, await one.header(signal)]).toEqual(['Bearer token-2', 'Bearer token-2']);
});

test('an endpoint that takes no secret in the form gets it in the header', async () => {
  const good = answer;
  answer = () => (asked.length === 1 ? refuses(400)() : good());
  expect(await authorization().header(signal)).toBe('Bearer token-2');
  const basic = Buffer.from('the+client:its+secret+%26+more').toString('base64');
  expect(asked[1]).toEqual({
    form: { grant_type: 'client_credentials' },
    headers: { authorization: `Basic ${basic}` },
  });
});

test.each([400, 404])(
  'a client or an address that is refused with %i makes the connection wait for another',
  async (status) => {
    answer = refuses(status);
    await expect(authorization().header(signal)).rejects.toMatchObject({ kind: 'unauthorized', status });
  },
);

test.each<[string, () => Promise<unknown>]>([
  ['an answer without a token', async () => ({ token: 'x' })],
  ['no answer', () => Promise.reject(new ProviderError('transient', 'it answered 503', { status: 503 }))],
])('%s is tried again later', async (_name, given) => {
  answer = given;
  const one = authorization();
  await expect(one.header(signal)).rejects.toMatchObject({ kind: 'transient' });
  answer = async () => ({ access_token: 'later' });
  expect(await one.header(signal)).toBe('Bearer later');
});
