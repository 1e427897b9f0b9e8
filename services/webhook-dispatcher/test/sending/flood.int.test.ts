import type { ServerResponse } from 'node:http';
import { type Behaviour, behaviours, eventually, type Receiver, startReceiver } from '@app/testing';
import { aCompany, type Dispatcher, startDispatcher, statusChanged, testSettings } from '../dispatcher.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

async function withDispatcher(
  settings: Parameters<typeof startDispatcher>[0],
  work: (own: Dispatcher) => Promise<void>,
) {
  const own = await startDispatcher(settings);
  try {
    await work(own);
  } finally {
    await own.drop();
    await own.stop();
  }
}

const many = (count: number, companyId: string) => Array.from({ length: count }, () => statusChanged([companyId]));

test('an endpoint that hangs delays no other', async () => {
  await withDispatcher({ timeoutMs: 20_000 }, async (own) => {
    const hung: ServerResponse[] = [];
    receiver.behave((_req, res) => void hung.push(res), '/hangs');
    const [slow, healthy] = [aCompany(), aCompany()];
    await own.endpoint(slow, receiver.url('/hangs'));
    await own.endpoint(healthy, receiver.url('/healthy'));
    const both = [slow.companyId, healthy.companyId];
    await own.publish(...Array.from({ length: 40 }, () => statusChanged(both)));
    await eventually(() => expect(receiver.at('/healthy')).toHaveLength(40));
    expect(receiver.at('/hangs')).toHaveLength(testSettings.endpointConcurrency);
    receiver.behave(behaviours.ok, '/hangs');
    for (const res of hung) res.end();
    await eventually(() => expect(receiver.at('/hangs')).toHaveLength(40));
  });
});

test('a burst far beyond the memory limit is delivered completely, each event once', async () => {
  await withDispatcher({}, async (own) => {
    const company = aCompany();
    const { id } = await own.endpoint(company, receiver.url('/burst'));
    const events = Array.from({ length: 300 }, (_, n) => statusChanged([company.companyId], `Leak ${n}`));
    await own.publish(...events);
    await eventually(() => expect(receiver.at('/burst')).toHaveLength(300));
    expect(new Set(receiver.at('/burst').map(({ headers }) => headers['x-service-delivery'])).size).toBe(300);
    await eventually(async () =>
      expect(await own.deliveries(company, id, '?status=succeeded&limit=100')).toHaveLength(100),
    );
  });
});

test('a burst for an endpoint that answers slowly delays no other', async () => {
  await withDispatcher({}, async (own) => {
    const slowly: Behaviour = (...given) => void setTimeout(() => behaviours.ok(...given), 100);
    receiver.behave(slowly, '/flood');
    const [flooded, other] = [aCompany(), aCompany()];
    await own.endpoint(flooded, receiver.url('/flood'));
    await own.endpoint(other, receiver.url('/beside'));
    await own.publish(...many(4_000, flooded.companyId), ...many(1, other.companyId));
    await eventually(() => expect(receiver.at('/beside')).toHaveLength(1));
    // Few of the burst were attempted before the other endpoint's event; in plain order nearly all 4,000 would have been.
    expect(receiver.at('/flood').length).toBeLessThan(2_000);
  });
});

test('hanging endpoints with a backlog leave every other endpoint its share of slots', async () => {
  await withDispatcher({ timeoutMs: 30_000, totalConcurrency: 20, inMemoryPerEndpoint: 64 }, async (own) => {
    const hung: ServerResponse[] = [];
    receiver.behave((_req, res) => void hung.push(res), '/hogs');
    const hogs = aCompany();
    for (let n = 0; n < 2; n++) await own.endpoint(hogs, receiver.url('/hogs'));
    await own.publish(...many(80, hogs.companyId));
    const leased = { lease: { $exists: true } };
    const deliveries = own.connection.collection('deliveries');
    // The limit in memory is used up; each further endpoint still gets a share of its own.
    await eventually(async () => expect(await deliveries.countDocuments(leased)).toBe(80));
    const together: (() => void)[] = [];
    receiver.behave((...given) => void together.push(() => behaviours.ok(...given)), '/share');
    const healthy = aCompany();
    const { id } = await own.endpoint(healthy, receiver.url('/share'));
    await own.publish(...many(4, healthy.companyId));
    await eventually(() => expect(together).toHaveLength(4));
    for (const end of together) end();
    await eventually(async () => expect(await own.deliveries(healthy, id, '?status=succeeded')).toHaveLength(4));
    receiver.behave(behaviours.ok, '/hogs');
    for (const res of hung) res.end();
    await eventually(() => expect(receiver.at('/hogs')).toHaveLength(160));
  });
});
