import { type AddressInfo, createServer, type Server } from 'node:net';
import { createAddressPolicy } from '@app/runtime/ssrf-guard';
import { answer, type Receiver, startReceiver } from '@app/testing';
import { createProviderHttp } from '../../http/http-client.ts';
import { createThirdPartyHttp, type ThirdPartyHttp } from '../../http/third-party-http.ts';
import { clientOf } from '../fake-provider.ts';
import { startFakePennylane } from '../pennylane/fake-pennylane.ts';

/** Accepts any connection on loopback, IPv4 and IPv6. */
let listener: Server;
let port: number;
let connections = 0;
let files: Receiver;

beforeAll(async () => {
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
  port = (listener.address() as AddressInfo).port;
  files = await startReceiver(['files.example.com']);
});
afterAll(async () => {
  await files.close();
  await new Promise((resolve) => listener.close(resolve));
});
beforeEach(() => {
  connections = 0;
  files.received.length = 0;
});

const http = (elsewhere?: ThirdPartyHttp) =>
  createProviderHttp({
    baseUrl: 'http://127.0.0.1:1/',
    credentials: { apiKey: 'the-key' },
    ...(elsewhere ? { thirdParty: elsewhere } : {}),
  });
const leadingTo = (answers: string[], allowed: string[] = []) =>
  createThirdPartyHttp({ policy: createAddressPolicy(allowed), resolve: async () => answers });
const refused = { name: 'ProviderError', kind: 'refused', code: 'address_refused' };

async function textOf(client: ReturnType<typeof http>, url: string): Promise<string> {
  const { stream } = await client.document({ url }, 'file.pdf');
  return (await stream.toArray()).map(String).join('');
}

test('the listener is reachable if its network is allowed', async () => {
  const client = http(leadingTo(['127.0.0.1'], ['127.0.0.0/8']));
  for (const host of ['127.0.0.1', 'files.example.com'])
    await expect(textOf(client, `https://${host}:${port}/`)).rejects.toMatchObject({ kind: 'transient' });
  expect(connections).toBe(2);
});

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0',
  '127.0.0.1.',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  'localhost',
  'localhost.',
  'app.localhost',
  'printer',
  'db.internal',
])('a document at https://%s is not fetched', async (host) => {
  const url = `https://${host}:${port}/file.pdf`;
  expect(http().mayFetch(url)).toBe(false);
  await expect(textOf(http(), url)).rejects.toMatchObject(refused);
  expect(connections).toBe(0);
});

test.each([
  ['loopback', ['127.0.0.1']],
  ['loopback, IPv6', ['::1']],
  ['a public one first, loopback after it', ['93.184.215.14', '127.0.0.1']],
  ['mapped', ['::ffff:127.0.0.1']],
  ['metadata', ['169.254.169.254']],
])('a name that leads to %s is not connected to', async (_name, answers) => {
  const client = http(leadingTo(answers));
  await expect(textOf(client, `https://files.example.com:${port}/`)).rejects.toMatchObject(refused);
  expect(connections).toBe(0);
});

test('a name that cannot be looked up is a transient error', async () => {
  await expect(textOf(http(leadingTo([])), 'https://files.example.com/')).rejects.toMatchObject({
    kind: 'transient',
    code: 'dns_failed',
  });
});

test('a document on another host is fetched without the key', async () => {
  files.behave(answer(200, 'file'));
  const client = http(leadingTo(['127.0.0.1'], ['127.0.0.0/8']));
  expect(await textOf(client, files.url('/a', 'files.example.com'))).toBe('file');
  expect(files.received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test('one without TLS, or a redirect from there to another host, is not followed', async () => {
  const client = http(leadingTo(['127.0.0.1'], ['127.0.0.0/8']));
  const plain = `http://files.example.com:${port}/file.pdf`;
  expect(client.mayFetch(plain)).toBe(false);
  await expect(textOf(client, plain)).rejects.toMatchObject(refused);
  files.behave(answer(302, '', { location: `https://127.0.0.1:${port}/` }));
  await expect(textOf(client, files.url('/a', 'files.example.com'))).rejects.toMatchObject({ kind: 'refused' });
  expect(connections).toBe(0);
});

test('an invoice whose file is at such an address has none', async () => {
  const fake = await startFakePennylane();
  const { known } = fake;
  try {
    const client = clientOf(fake, { thirdParty: leadingTo(['127.0.0.1']) });
    for (const host of ['127.0.0.1', 'files.example.com']) {
      Object.assign(fake.invoice(known), { e_invoicing: { source_file_url: `https://${host}:${port}/file` } });
      expect((await client.fetchInvoice(known)).document).toBeNull();
    }
    expect(connections).toBe(0);
  } finally {
    await fake.close();
  }
});
