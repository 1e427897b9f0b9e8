import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeNow, eventually } from '@app/testing';
import { bearer } from '../gateway.ts';
import { startWith, stopAfter, stopAll, upload } from '../upstreams.ts';

afterEach(stopAll);

const path = '/api/v3.0/tickets';

/** A replica that says its address, on a port of its own or that of its peers; `received` are the lengths of bodies. */
async function startReplica(address: string, port = 0) {
  const received: number[] = [];
  const behaviour = { resets: false, holds: false };
  const held: (() => void)[] = [];
  const server = createServer((req, res) => {
    if (behaviour.resets) return void req.socket.destroy();
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    req.on('end', () => {
      received.push(bytes);
      const respond = () => {
        res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ address }));
      };
      if (behaviour.holds) held.push(respond);
      else respond();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  stopAfter(() => closeNow(server));
  return {
    address,
    received,
    behaviour,
    held,
    port: (server.address() as AddressInfo).port,
    stop: () => closeNow(server),
  };
}

/** A gateway before two replicas of the ticket service, whose DNS addresses the test can change. */
async function twoReplicas() {
  const first = await startReplica('127.0.0.1');
  const second = await startReplica('127.0.0.2', first.port);
  const dns = { addresses: [first.address, second.address] };
  const lookup = async (name: string) => (name === 'ticket.test' ? dns.addresses : ['127.0.0.1']);
  const gateway = await startWith({ services: { ticket: `http://ticket.test:${first.port}` }, lookup });
  const ask = async (method: string) => {
    const { status, body } = await gateway.call('ticket', method, path, { headers: bearer() });
    return { status, address: body['address'] };
  };
  // The gateway does not wait for the first answer of DNS.
  await eventually(async () => expect(await ask('GET')).toMatchObject({ status: 200 }));
  return { gateway, first, second, dns, ask };
}

const several = async <T>(count: number, ask: () => Promise<T>) => {
  const answers: T[] = [];
  for (let asked = 0; asked < count; asked++) answers.push(await ask());
  return answers;
};

test('requests of one caller, one after the other, are spread over the replicas that DNS names', async () => {
  const { ask } = await twoReplicas();
  const answers = await several(20, () => ask('GET'));
  expect(answers.filter(({ address }) => address === '127.0.0.1')).toHaveLength(10);
  expect(answers.filter(({ address }) => address === '127.0.0.2')).toHaveLength(10);
});

test.each(['GET', 'POST', 'DELETE'])('no %s fails because a replica is dead that DNS still names', async (method) => {
  const { ask, second } = await twoReplicas();
  await second.stop();
  // Kept connections ended with it: one that is used again at that moment is not what this test is about.
  await new Promise(setImmediate);
  for (const answer of await several(20, () => ask(method)))
    expect(answer).toEqual({ status: 200, address: '127.0.0.1' });
});

test('no read fails because a replica that stops closes the connections that were kept to it', async () => {
  const { ask, second } = await twoReplicas();
  const atOnce = (count: number) => Promise.all(Array.from({ length: count }, () => ask('GET')));
  second.behaviour.holds = true;
  const before = atOnce(20);
  await eventually(() => expect(second.held).toHaveLength(10));
  for (const respond of second.held) respond();
  await before;
  // Ten connections are kept to it now, and each of them ends when it is used again.
  second.behaviour.resets = true;
  expect(new Set((await atOnce(20)).map(({ status, address }) => `${status} ${address}`))).toEqual(
    new Set(['200 127.0.0.1']),
  );
});

test('no read fails because the replica that works on it is killed', async () => {
  const { ask, second } = await twoReplicas();
  second.behaviour.holds = true;
  const answers = Promise.all(Array.from({ length: 20 }, () => ask('GET')));
  await eventually(() => expect(second.held).toHaveLength(10));
  await second.stop();
  for (const answer of await answers) expect(answer).toEqual({ status: 200, address: '127.0.0.1' });
});

test('a write that a replica may have carried out is not sent to another one', async () => {
  const { ask, first, second } = await twoReplicas();
  second.behaviour.holds = true;
  const before = first.received.length;
  const answers = Promise.all(Array.from({ length: 20 }, () => ask('POST')));
  await eventually(() => expect(second.held).toHaveLength(10));
  await second.stop();
  expect((await answers).filter(({ status }) => status === 502)).toHaveLength(10);
  expect(first.received).toHaveLength(before + 10);
});

test('an upload goes whole to the replica that takes it', async () => {
  const { gateway, first, second } = await twoReplicas();
  await first.stop();
  const content = randomBytes(300_000);
  for (let count = 0; count < 4; count++) {
    const form = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': String(content.length) };
    const { req, answered } = upload(gateway.ports.ticket, form);
    req.end(content);
    expect((await answered).statusCode).toBe(200);
    expect(second.received.at(-1)).toBe(content.length);
  }
});

test('a replica that DNS no longer names gets no request, a new one its share', async () => {
  const { ask, dns, first } = await twoReplicas();
  const third = await startReplica('127.0.0.3', first.port);
  dns.addresses = [first.address, third.address];
  await eventually(async () => expect((await ask('GET')).address).toBe('127.0.0.3'));
  const addresses = (await several(10, () => ask('GET'))).map(({ address }) => address);
  expect([...new Set(addresses)].sort()).toEqual(['127.0.0.1', '127.0.0.3']);
});

test('without any replica the answer is the documented one', async () => {
  const { ask, first, second } = await twoReplicas();
  await Promise.all([first.stop(), second.stop()]);
  await eventually(async () => expect((await ask('POST')).status).toBe(502));
});
