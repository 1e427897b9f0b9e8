import type { TLSSocket } from 'node:tls';
import { createAddressPolicy } from '@app/runtime/ssrf-guard';
import { ampleMs, answer, type Behaviour, behaviours, type Receiver, startReceiver } from '@app/testing';
import { createReceiverClient } from '../../../sending/receiver-client.ts';

const earlyHints: Behaviour = (_req, res) => res.writeEarlyHints({ link: '</a>; rel=preload' }, () => res.end('done'));
const upgrade: Behaviour = (req) =>
  void req.socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n');

const names: Record<string, string[]> = {
  'receiver.example.com': ['127.0.0.1'],
  'receiver.example.com.': ['127.0.0.1'],
};

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

function clientFor(more: { closingMs?: number } = {}) {
  return createReceiverClient({
    ...more,
    policy: createAddressPolicy(['127.0.0.0/8']),
    timeoutMs: ampleMs,
    idleTimeoutMs: ampleMs,
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

// How receivers misbehave: hostile.int.test.ts. Which addresses are refused: safety.int.test.ts.
test.each([
  ['an interim answer before its own', earlyHints, { statusCode: 200, error: null, responseBody: 'done' }],
  ['another protocol that nobody asked for', upgrade, { statusCode: null, error: 'response_invalid' }],
])('a receiver with %s', async (_name, behaviour, expected) => {
  receiver.behave(behaviour);
  expect(await post(clientFor(), receiver.url())).toMatchObject(expected);
});

test('a redirect is a failure and is not followed', async () => {
  receiver.behave(answer(307, '', { location: receiver.url('/elsewhere') }));
  expect(await post(clientFor(), receiver.url('/here'))).toMatchObject({ statusCode: 307, error: 'redirect_refused' });
  expect(receiver.at('/elsewhere')).toEqual([]);
});

test('proxies of the environment are not used', async () => {
  process.env['HTTPS_PROXY'] = 'http://127.0.0.1:9';
  try {
    expect(await post(clientFor(), receiver.url())).toMatchObject({ error: null });
  } finally {
    delete process.env['HTTPS_PROXY'];
  }
});

test('a name is resolved by us, and its address connected to', async () => {
  expect(await post(clientFor(), receiver.url('/', 'receiver.example.com'))).toMatchObject({ error: null });
  expect(lookups).toEqual(['receiver.example.com']);
  expect(receiver.received[0]?.headers.host).toBe(`receiver.example.com:${receiver.port}`);
});

test('a host name that ends with a dot is one: its server is asked for without', async () => {
  receiver.behave((req, res) => void res.end(String((req.socket as TLSSocket).servername)));
  const attempt = await post(clientFor(), receiver.url('/', 'receiver.example.com.'));
  expect(attempt).toMatchObject({ error: null, responseBody: 'receiver.example.com' });
});

test('a name that nobody knows: dns_failed', async () => {
  expect(await post(clientFor(), receiver.url('/', 'unknown.example.com'))).toMatchObject({ error: 'dns_failed' });
});

test('name servers that hang are ended by the time limit', async () => {
  const client = createReceiverClient({
    policy: createAddressPolicy(),
    timeoutMs: 500,
    resolve: () => new Promise(() => undefined),
  });
  expect(await post(client, 'https://slow.example.com/')).toMatchObject({ error: 'timeout' });
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
    const client = clientFor({ closingMs: ampleMs });
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
