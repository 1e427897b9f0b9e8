import { invoiceFetched } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { anAccountant, anInvoice, type Connected, type Service, startService } from '../service.ts';

let service: Service;
// The next poll by itself is an hour away.
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const fetched = ({ id }: Connected) =>
  service
    .events(invoiceFetched)
    .filter((event) => event.connection_id === id)
    .map(({ external_id }) => external_id);
const ask = ({ id, owner }: Connected, as = owner) => service.call('POST', `/invoice-connections/${id}/poll`, { as });
const recordOf = ({ id }: Connected) => service.database.collection('connections').findOne({ _id: id as never });

test('a connection is polled when a person asks, once however many ask, and again after a minute', async () => {
  const connected = await service.connected();
  const lists = () => service.sandbox.calls().byPath['/invoices'] ?? 0;
  const before = lists();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(connected)));
  expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(5).fill([202, { ok: true }]));
  await eventually(() => expect(fetched(connected)).toEqual([id]));
  await eventually(async () => expect(await recordOf(connected)).not.toHaveProperty('pollLease'));
  const polled = await recordOf(connected);
  expect((await ask(connected)).status).toBe(202);
  expect(await recordOf(connected)).toEqual(polled);
  expect(lists()).toBe(before + 1);

  // As if it were a minute later.
  const earlier = new Date(Date.now() - 60_001);
  await service.database
    .collection('connections')
    .updateOne({ _id: connected.id as never }, { $set: { pollAskedAt: earlier } });
  const next = service.sandbox.put(connected.apiKey, anInvoice()).id;
  await ask(connected);
  await eventually(() => expect(fetched(connected)).toEqual([id, next]));
});

test('a connection that is off, unknown, deleted or of another company is not polled', async () => {
  const [off, deleted, own] = [
    await service.connected({ active: false }),
    await service.connected(),
    await service.connected(),
  ];
  await service.call('DELETE', `/invoice-connections/${deleted.id}`, { as: deleted.owner });
  const neighbour = anAccountant();
  for (const [answer, status, code] of [
    [await ask(off), 409, 'connection_inactive'],
    [await ask({ ...own, id: newId() }), 404, 'connection_not_found'],
    [await ask({ ...own, id: 'x' }), 404, 'not_found'],
    [await ask(deleted), 404, 'connection_not_found'],
    [await ask(own, neighbour), 404, 'connection_not_found'],
    [await ask(own, { ...own.owner, permissions: ['tickets'] }), 403, 'forbidden'],
  ] as const) {
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  }
  for (const one of [off, own]) expect(await recordOf(one)).not.toHaveProperty('pollAskedAt');
});

test('providers are listed with what a person enters there', async () => {
  const owner = anAccountant();
  const { status, body } = await service.call('GET', '/invoice-providers', { as: owner });
  expect(status).toBe(200);
  expect(body).toEqual(
    expect.arrayContaining([
      {
        key: 'sandbox',
        name: 'Sandbox',
        webhookPath: '/webhooks/invoice-providers/sandbox',
        signatureHeader: 'x-sandbox-signature',
      },
    ]),
  );
  const refused = await service.call('GET', '/invoice-providers', { as: { ...owner, permissions: ['tickets'] } });
  expect([refused.status, refused.body['code']]).toEqual([403, 'forbidden']);
});
