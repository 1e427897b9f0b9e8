import type { IncomingMessage } from 'node:http';
import { createAddressPolicy } from '@app/ssrf-guard';
import { answer, type Behaviour, behaviours, type Receiver, startReceiver } from '@app/testing';
import { createReceiverClient } from '../../../sending/receiver-client.ts';

const earlyHints: Behaviour = (_req, res) => res.writeEarlyHints({ link: '</a>; rel=preload' }, () => res.end('done'));
const upgrade: Behaviour = (req) =>
  void req.socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n');

const names: Record<string, string[]> = {
  'receiver.example.com': ['127.0.0.1'],
  'other.example.com': ['127.0.0.1'],
  'mixed.example.com': ['127.0.0.1', '10.0.0.1'],
  'private.example.com': ['10.0.0.1'],
  'metadata.example.com': ['169.254.169.254'],
  'mapped.example.com': ['::ffff:10.0.0.1'],
  'translated.example.com': ['64:ff9b::a00:1'],
  'empty.example.com': [],
};

/** Beyond what a busy machine takes for an answer. */
const ampleMs = 30_000;
/** For attempts that end by their time limit: enough for the beginning of an answer. */
const shortMs = 1_500;
let receiver: Receiver;
let lookups: string[] = [];

beforeAll(async () => {
  receiver = await startReceiver(['receiver.example.com']);
});
afterAll(() => receiver.close());
beforeEach(() => {
  lookups = [];
  receiver.received.length = 0;
  receiver.behave(behaviours.ok);
});

function clientFor(allowNetworks = ['127.0.0.0/8'], timeoutMs = ampleMs) {
  return createReceiverClient({
    policy: createAddressPolicy(allowNetworks),
    timeoutMs,
    resolve: async (hostname) => {
      lookups.push(hostname);
      const addresses = names[hostname];
      if (!addresses) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
      return addresses;
    },
  });
}

function post(client: ReturnType<typeof clientFor>, url: string, endpointId = 'endpoint-1') {
  return client.post({
    endpointId,
    url,
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from('{"a":1}'),
  });
}

test('a 2xx with its whole body is a success; the body is sent as it is', async () => {
  const attempt = await post(clientFor(), receiver.url('/hooks?x=1'));
  expect(attempt).toMatchObject({ statusCode: 200, error: null, responseBody: 'thank you' });
  expect(receiver.received[0]?.path).toBe('/hooks?x=1');
  expect(receiver.received[0]?.body.toString()).toBe('{"a":1}');
});

test.each([
  ['status 500', answer(500, 'broken'), { statusCode: 500, error: 'status_not_2xx', responseBody: 'broken' }],
  ['status 410', answer(410), { statusCode: 410, error: 'status_not_2xx', responseBody: '' }],
  ['hanging', behaviours.hang, { statusCode: null, error: 'timeout', responseBody: null }],
  ['dripping', behaviours.drip, { statusCode: 200, error: 'timeout' }],
  ['a body cut short', behaviours.cut, { statusCode: 200, error: 'response_incomplete', responseBody: 'half' }],
  ['a reset', behaviours.reset, { statusCode: null, error: 'connection_failed' }],
  ['an endless body', behaviours.endless, { statusCode: 200, error: null, responseBody: 'x'.repeat(1024) }],
  ['an interim answer before its own', earlyHints, { statusCode: 200, error: null, responseBody: 'done' }],
  ['another protocol that nobody asked for', upgrade, { statusCode: null, error: 'response_invalid' }],
  ['no HTTP', (req: IncomingMessage) => void req.socket.end('hello\r\n'), { error: 'response_invalid' }],
  ['headers without end', answer(200, '', { 'x-large': 'x'.repeat(20_000) }), { error: 'response_invalid' }],
])('a receiver with %s', async (_name, behaviour, expected) => {
  receiver.behave(behaviour);
  const ends = 'error' in expected && expected.error === 'timeout';
  const attempt = await post(clientFor(undefined, ends ? shortMs : ampleMs), receiver.url());
  expect(attempt).toMatchObject(expected);
  expect(attempt.durationMs).toBeLessThan(ampleMs);
});

test('a redirect is a failure and is not followed', async () => {
  receiver.behave(answer(307, '', { location: receiver.url('/elsewhere') }));
  expect(await post(clientFor(), receiver.url('/here'))).toMatchObject({ statusCode: 307, error: 'redirect_refused' });
  expect(receiver.at('/elsewhere')).toEqual([]);
});

test('a compressed body is kept as it came', async () => {
  receiver.behave(answer(200, 'not gzip', { 'content-encoding': 'gzip' }));
  expect(await post(clientFor(), receiver.url())).toMatchObject({ error: null, responseBody: 'not gzip' });
});

test('proxies of the environment are not used', async () => {
  process.env['HTTPS_PROXY'] = 'http://127.0.0.1:9';
  try {
    expect(await post(clientFor(), receiver.url())).toMatchObject({ error: null });
  } finally {
    delete process.env['HTTPS_PROXY'];
  }
});

describe('addresses', () => {
  test('a name is resolved by us, and its address connected to', async () => {
    const attempt = await post(clientFor(), receiver.url('/', 'receiver.example.com'));
    expect(attempt).toMatchObject({ error: null });
    expect(lookups).toEqual(['receiver.example.com']);
    expect(receiver.received[0]?.headers.host).toBe(`receiver.example.com:${receiver.port}`);
  });

  test.each([
    ...['mixed', 'private', 'metadata', 'mapped', 'translated'].map((name) => [
      `${name}.example.com`,
      'address_refused',
    ]),
    ...['empty', 'unknown'].map((name) => [`${name}.example.com`, 'dns_failed']),
    ...['localhost', '10.0.0.1', '[::1]', '[::ffff:a00:1]', '169.254.169.254'].map((host) => [host, 'address_refused']),
  ])('%s: %s, without a connection', async (host, error) => {
    const before = receiver.connections();
    const attempt = await post(clientFor(), receiver.url('/', host));
    expect(attempt).toMatchObject({ statusCode: null, error, responseBody: null });
    expect(receiver.connections()).toBe(before);
  });

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', 'receiver.example.com', 'localhost'])(
    'nothing on loopback is called through %s unless it was opened',
    async (host) => {
      const before = receiver.connections();
      expect(await post(clientFor([]), receiver.url('/', host))).toMatchObject({ error: 'address_refused' });
      expect(receiver.connections()).toBe(before);
    },
  );

  test('a name that changes between two connections is refused at the second', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const policy = createAddressPolicy(['127.0.0.0/8']);
    const client = createReceiverClient({ policy, timeoutMs: ampleMs, resolve: async () => answers.shift() ?? [] });
    receiver.behave(answer(200, '', { connection: 'close' }));
    const url = receiver.url('/', 'receiver.example.com');
    expect(await post(client, url)).toMatchObject({ error: null });
    expect(await post(client, url)).toMatchObject({ error: 'address_refused' });
  });

  test('name servers that hang are ended by the time limit', async () => {
    const client = createReceiverClient({
      policy: createAddressPolicy(),
      timeoutMs: shortMs,
      resolve: () => new Promise(() => undefined),
    });
    const attempt = await post(client, 'https://slow.example.com/');
    expect(attempt).toMatchObject({ error: 'timeout' });
    expect(attempt.durationMs).toBeLessThan(ampleMs);
  });
});

test('a certificate for another name is refused', async () => {
  const attempt = await post(clientFor(), receiver.url('/', 'other.example.com'));
  expect(attempt).toMatchObject({ statusCode: null, error: 'tls_failed' });
  expect(receiver.received).toEqual([]);
});

test('a closed port: connection_failed', async () => {
  expect(await post(clientFor(), 'https://127.0.0.1:1/')).toMatchObject({ error: 'connection_failed' });
});

describe('connections', () => {
  test('are kept for the same endpoint, and never shared with another', async () => {
    const client = clientFor();
    await post(client, receiver.url(), 'endpoint-1');
    const before = receiver.connections();
    await post(client, receiver.url(), 'endpoint-1');
    expect(receiver.connections()).toBe(before);
    await post(client, receiver.url(), 'endpoint-2');
    expect(receiver.connections()).toBe(before + 1);
  });

  test('one that was opened for a URL is not used for another', async () => {
    const client = clientFor();
    const before = receiver.connections();
    await post(client, receiver.url('/a', 'receiver.example.com'));
    await post(client, receiver.url('/b', '127.0.0.1'));
    expect(receiver.connections()).toBe(before + 2);
    expect(await post(client, receiver.url('/', 'private.example.com'))).toMatchObject({ error: 'address_refused' });
    expect(await post(client, receiver.url('/', '10.0.0.1'))).toMatchObject({ error: 'address_refused' });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/a', '/b']);
  });

  test('many at once have one each, and are all kept', async () => {
    const client = clientFor();
    const before = receiver.connections();
    for (let round = 0; round < 3; round++) {
      const attempts = await Promise.all(Array.from({ length: 8 }, () => post(client, receiver.url())));
      expect(attempts.every(({ error }) => error === null)).toBe(true);
    }
    expect(receiver.connections()).toBe(before + 8);
  });

  test('a connection that the receiver ends while it has the request is not used again: the request may have been processed', async () => {
    const client = clientFor();
    await post(client, receiver.url());
    receiver.behave((...given) => void setTimeout(() => behaviours.reset(...given), 200));
    expect(await post(client, receiver.url())).toMatchObject({ error: 'connection_failed', statusCode: null });
    expect(receiver.received).toHaveLength(2);
  });

  test('a connection that the receiver closed meanwhile costs no attempt', async () => {
    const client = clientFor();
    await post(client, receiver.url());
    let first = true;
    receiver.behave((req, res, received) => {
      const lost = first;
      first = false;
      (lost ? behaviours.reset : behaviours.ok)(req, res, received);
    });
    expect(await post(client, receiver.url())).toMatchObject({ error: null, statusCode: 200 });
  });
});
