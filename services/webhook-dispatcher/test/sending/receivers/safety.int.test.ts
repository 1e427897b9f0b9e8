import { type AddressInfo, createServer, type Server } from 'node:net';
import { newId } from '@app/kernel';
import { createAddressPolicy } from '@app/runtime/ssrf-guard';
import { eventually } from '@app/testing';
import {
  refusedHosts,
  refusedNames,
  refusedUrls,
} from '../../../../../libs/runtime/test/ssrf-guard/refused-addresses.ts';
import { createReceiverClient } from '../../../sending/receiver-client.ts';
import { aCompany, type Dispatcher, startDispatcher, statusChanged } from '../../dispatcher.ts';

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
  return createReceiverClient({ policy: createAddressPolicy(allowNetworks), resolve, timeoutMs: 20_000 });
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
  test.each<[string, string[], () => string[]]>([
    ['notation of a refused address', [], () => at(Object.values(refusedHosts).flat())],
    ['name that is refused by itself, whatever networks are opened,', wide, () => at(refusedNames)],
    ['URL that is none of ours, whatever networks are opened,', wide, () => listening(refusedUrls)],
  ])('no %s is connected to', async (_what, networks, urls) => {
    const client = clientFor(networks);
    for (const url of urls()) expect([url, await failureOf(client, url)]).toEqual([url, 'address_refused']);
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

  // All of them: libs/runtime/test/ssrf-guard/address-policy.test.ts.
  test('refuses one of each kind at registration, and as a change, with a reason', async () => {
    const company = aCompany();
    const { id } = await dispatcher.endpoint(company, 'https://erp.example.com/hooks');
    const hosts = Object.values(refusedHosts).map(([host = '']) => host);
    for (const url of [...at(hosts), ...at(refusedNames.slice(0, 1)), ...listening(refusedUrls.slice(0, 1))]) {
      for (const refused of [
        await dispatcher.call(company, 'post', path, { name: 'ERP', url, events }),
        await dispatcher.call(company, 'patch', `${path}/${id}`, { url }),
      ]) {
        expect([url, refused.status]).toEqual([url, 422]);
        expect(refused.body.errors).toEqual([{ path: 'url', message: expect.stringMatching(/^url must /) }]);
      }
    }
    const { items } = (await dispatcher.call(company, 'get', path)).body;
    expect(items).toMatchObject([{ url: 'https://erp.example.com/hooks' }]);
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
