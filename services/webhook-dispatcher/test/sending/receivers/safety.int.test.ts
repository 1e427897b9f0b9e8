import { type AddressInfo, createServer, type Server } from 'node:net';
import { newId } from '@app/kernel';
import { createAddressPolicy } from '@app/ssrf-guard';
import { eventually } from '@app/testing';
import { createReceiverClient } from '../../../sending/receiver-client.ts';
import { aCompany, type Dispatcher, startDispatcher, statusChanged } from '../../dispatcher.ts';
import { refusedHosts, refusedNames, refusedUrls } from './refused-addresses.ts';

/** Listens on loopback, IPv4 and IPv6, and accepts everything. */
let listener: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
  port = (listener.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => listener.close(resolve)));
beforeEach(() => {
  connections = 0;
});

type Answers = () => Promise<string[]>;
/** Every name resolves to loopback, unless other answers are given. */
const toLoopback: Answers = async () => ['127.0.0.1', '::1'];

function clientFor(allowNetworks: string[], resolve: Answers = toLoopback) {
  return createReceiverClient({ policy: createAddressPolicy(allowNetworks), resolve, timeoutMs: 1_000 });
}

async function failureOf(client: ReturnType<typeof clientFor>, url: string): Promise<string | null> {
  const { error } = await client.post({ endpointId: newId(), url, headers: {}, body: Buffer.from('{}') });
  return error;
}

const wide = ['0.0.0.0/0', '::/0'];
const listening = (urls: string[]) => urls.map((url) => url.replace('{host}', `127.0.0.1:${port}`));
const at = (hosts: string[]) => hosts.map((host) => `https://${host}:${port}/hooks`);

test('the listener can be reached if its networks are allowed', async () => {
  for (const host of ['127.0.0.1', '[::1]', 'erp.example.com']) {
    const before = connections;
    expect(await failureOf(clientFor(['127.0.0.0/8', '::1/128']), `https://${host}:${port}/`)).toBe(
      'connection_failed',
    );
    expect(connections).toBeGreaterThan(before);
  }
});

describe('at delivery', () => {
  test('no notation of a refused address is connected to', async () => {
    const client = clientFor([]);
    for (const url of at(refusedHosts)) expect([url, await failureOf(client, url)]).toEqual([url, 'address_refused']);
    expect(connections).toBe(0);
  });

  test('no name that is refused by itself is connected to, whatever networks are opened', async () => {
    const client = clientFor(wide);
    for (const url of at(refusedNames)) expect([url, await failureOf(client, url)]).toEqual([url, 'address_refused']);
    expect(connections).toBe(0);
  });

  test('no URL that is none of ours is followed, whatever networks are opened', async () => {
    const client = clientFor(wide);
    for (const url of listening(refusedUrls)) {
      expect([url, await failureOf(client, url)]).toEqual([url, 'address_refused']);
    }
    expect(connections).toBe(0);
  });

  test.each<[string, string[], string]>([
    ['loopback', ['127.0.0.1'], 'address_refused'],
    ['loopback, IPv6', ['::1'], 'address_refused'],
    ['any address', ['0.0.0.0'], 'address_refused'],
    ['a public one first, loopback after it', ['93.184.215.14', '127.0.0.1'], 'address_refused'],
    ['loopback first, a public one after it', ['127.0.0.1', '93.184.215.14'], 'address_refused'],
    ['a public IPv4 and a private IPv6', ['93.184.215.14', 'fd00::1'], 'address_refused'],
    ['mapped', ['::ffff:127.0.0.1'], 'address_refused'],
    ['translated', ['64:ff9b::7f00:1'], 'address_refused'],
    ['6to4', ['2002:7f00:1::'], 'address_refused'],
    ['with a zone', ['fe80::1%lo'], 'address_refused'],
    ['no address at all', ['localhost'], 'address_refused'],
    ['nothing', [], 'dns_failed'],
  ])('a name that leads to %s is not connected to', async (_name, answers, error) => {
    expect(
      await failureOf(
        clientFor([], async () => answers),
        `https://erp.example.com:${port}/`,
      ),
    ).toBe(error);
    expect(connections).toBe(0);
  });

  test('the address that was checked is the one connected to: another answer is never asked for', async () => {
    const answers = [['127.0.0.1'], ['::1']];
    let asked = 0;
    const client = clientFor(['127.0.0.0/8'], async () => answers[asked++] ?? []);
    expect(await failureOf(client, `https://erp.example.com:${port}/`)).toBe('connection_failed');
    expect({ asked, connections }).toEqual({ asked: 1, connections: 1 });
    expect(await failureOf(client, `https://erp.example.com:${port}/`)).toBe('address_refused');
    expect({ asked, connections }).toEqual({ asked: 2, connections: 1 });
  });
});

describe('the service', () => {
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    dispatcher = await startDispatcher({ allowNetworks: [], retryDelaysMs: [] });
  });
  afterAll(async () => {
    await dispatcher.drop();
    await dispatcher.stop();
  });
  const path = '/webhooks/endpoints';
  const events = ['ticket.status_changed'];

  test('refuses all of them at registration, and as a change, with a reason', async () => {
    const company = aCompany();
    const { id } = await dispatcher.endpoint(company, 'https://erp.example.com/hooks');
    for (const url of [...at(refusedHosts), ...at(refusedNames), ...listening(refusedUrls)]) {
      const created = await dispatcher.call(company, 'post', path, { name: 'ERP', url, events });
      expect([url, created.status]).toEqual([url, 422]);
      expect(created.body.errors).toEqual([{ path: 'url', message: expect.stringMatching(/^url must /) }]);
    }
    for (const url of [...at(refusedHosts.slice(0, 3)), ...at(refusedNames.slice(0, 3))]) {
      expect((await dispatcher.call(company, 'patch', `${path}/${id}`, { url })).status).toBe(422);
    }
    const { items } = (await dispatcher.call(company, 'get', path)).body;
    expect(items).toMatchObject([{ url: 'https://erp.example.com/hooks' }]);
    expect(connections).toBe(0);
  });

  test('a changed URL is stored in normal form', async () => {
    const company = aCompany();
    const { id } = await dispatcher.endpoint(company, 'https://erp.example.com/hooks');
    const url = 'HTTPS://Bücher.Example.com:443/a/../hooks';
    const changed = await dispatcher.call(company, 'patch', `${path}/${id}`, { url });
    expect(changed.body.url).toBe('https://xn--bcher-kva.example.com/hooks');
  });

  test('a URL that came into the database otherwise is not called: the log says so and no more', async () => {
    const company = aCompany();
    const { id } = await dispatcher.endpoint(company, 'https://erp.example.com/hooks');
    const url = `https://127.0.0.1:${port}/`;
    await dispatcher.connection.collection('endpoints').updateOne({ _id: id as never }, { $set: { url } });
    await dispatcher.publish(statusChanged([company.companyId]));
    await eventually(async () => {
      expect(await dispatcher.deliveries(company, id)).toMatchObject([
        { status: 'exhausted', attempts: [{ error: 'address_refused', statusCode: null, responseBody: null }] },
      ]);
    });
    const tested = await dispatcher.call(company, 'post', `${path}/${id}/test`);
    expect(tested.body).toMatchObject({ success: false, statusCode: null, error: 'address_refused' });
    expect(connections).toBe(0);
  });
});
