import { setTimeout as delay } from 'node:timers/promises';
import { createAddressPolicy } from '@app/runtime/ssrf-guard';
import { ampleMs, behaviours, eventually, type Receiver, startReceiver } from '@app/testing';
import { createReceiverClient } from '../../../sending/receiver-client.ts';
import { aCompany, startDispatcher, statusChanged } from '../../dispatcher.ts';
import { type ForwardProxy, startForwardProxy } from './forward-proxy.ts';

const name = 'receiver.example.com';
const names: Record<string, string[]> = {
  [name]: ['127.0.0.1'],
  'other.example.com': ['127.0.0.1'],
  'private.example.com': ['10.0.0.1'],
  'two.example.com': ['::1', '127.0.0.1'],
};

let receiver: Receiver;
let proxy: ForwardProxy;
beforeAll(async () => {
  receiver = await startReceiver([name, 'two.example.com']);
});
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.behave(behaviours.ok);
  proxy = await startForwardProxy();
});
afterEach(() => proxy.close());
afterAll(() => receiver.close());

function clientBy(url: URL, timeoutMs = ampleMs) {
  const policy = createAddressPolicy(['127.0.0.0/8', '::1/128']);
  const resolve = async (hostname: string) => names[hostname] ?? [];
  const client = createReceiverClient({ policy, resolve, timeoutMs, proxy: url, idleTimeoutMs: ampleMs });
  return (to: string) =>
    client.post({ endpointId: 'one', url: to, headers: { 'X-Own': 'one' }, body: Buffer.from('{"a":1}') });
}
const loopback = () => `127.0.0.1:${receiver.port}`;
const targets = () => proxy.asked.map(({ target }) => target);

test('the proxy is asked for the address that was checked, with its credentials, and sees nothing of the request', async () => {
  const post = clientBy(proxy.url);
  expect(await post(receiver.url('/hooks', name))).toMatchObject({ statusCode: 200, error: null });
  const authorization = `Basic ${btoa('platform:pass word')}`;
  expect(proxy.asked).toEqual([{ target: loopback(), authorization }]);
  expect(receiver.received).toMatchObject([{ path: '/hooks', body: Buffer.from('{"a":1}') }]);
  expect(receiver.received[0]?.headers).not.toHaveProperty('proxy-authorization');
});

test('a literal address is asked for as it is', async () => {
  expect(await clientBy(proxy.url)(receiver.url())).toMatchObject({ statusCode: 200 });
  expect(targets()).toEqual([loopback()]);
});

test('a connection by the proxy is kept for the next request, beyond the time of an attempt', async () => {
  const timeoutMs = 10_000;
  const post = clientBy(proxy.url, timeoutMs);
  const send = async () => expect(await post(receiver.url('/', name))).toMatchObject({ statusCode: 200 });
  await send();
  await delay(1.2 * timeoutMs);
  await send();
  expect(targets()).toEqual([loopback()]);
});

test('the certificate of the receiver is checked inside the tunnel', async () => {
  const answer = await clientBy(proxy.url)(receiver.url('/', 'other.example.com'));
  expect(answer).toMatchObject({ statusCode: null, error: 'tls_failed' });
  expect(receiver.received).toEqual([]);
});

test.each([
  ['a name that leads to a private address', 'https://private.example.com/'],
  ['a private address', 'https://10.0.0.1/'],
])('%s is refused, and the proxy is not asked', async (_name, url) => {
  expect(await clientBy(proxy.url)(url)).toMatchObject({ error: 'address_refused' });
  expect(proxy.asked).toEqual([]);
});

test('of several addresses the next is asked for when one is not reachable, IPv4 first', async () => {
  const post = clientBy(proxy.url);
  expect(await post(receiver.url('/', 'two.example.com'))).toMatchObject({ statusCode: 200 });
  expect(targets()).toEqual([loopback()]);
  proxy.refuse(503, loopback());
  expect(await clientBy(proxy.url)(receiver.url('/', 'two.example.com'))).toMatchObject({ error: 'connection_failed' });
  expect(targets()).toEqual([loopback(), loopback(), `[::1]:${receiver.port}`]);
});

test.each([407, 403, 500])('a proxy that answers %i failed, and the receiver did not', async (status) => {
  proxy.refuse(status);
  expect(await clientBy(proxy.url)(receiver.url('/', name))).toMatchObject({ statusCode: null, error: 'proxy_failed' });
});

test.each([502, 503, 504])('of a proxy that answers %i the receiver was not reachable', async (status) => {
  proxy.refuse(status);
  expect(await clientBy(proxy.url)(receiver.url('/', name))).toMatchObject({ error: 'connection_failed' });
});

test('a proxy that is away disables no endpoint', async () => {
  const away = await startForwardProxy();
  await away.close();
  const dispatcher = await startDispatcher({ retryDelaysMs: [], proxy: away.url });
  try {
    const company = aCompany();
    const { id } = await dispatcher.endpoint(company, receiver.url('/away'));
    await dispatcher.publish(...Array.from({ length: 12 }, () => statusChanged([company.companyId])));
    await eventually(async () => {
      const failed = { status: 'exhausted', attempts: [{ error: 'proxy_failed', statusCode: null }] };
      expect(await dispatcher.deliveries(company, id)).toMatchObject(Array(12).fill(failed));
    });
    const read = await dispatcher.call(company, 'get', `/webhooks/endpoints/${id}`);
    expect(read.body).toMatchObject({ active: true, consecutiveFailures: 0 });
  } finally {
    await dispatcher.drop();
    await dispatcher.stop();
  }
});
