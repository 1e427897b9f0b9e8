import type { ServerResponse } from 'node:http';
import { type Behaviour, behaviours, eventually, type Receiver, startReceiver } from '@app/testing';
import { aCompany, type Dispatcher, startDispatcher, statusChanged, testSettings } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

let receiver: Receiver;
let own: Dispatcher;
beforeAll(async () => {
  receiver = await startReceiver();
  own = await startDispatcher();
});
afterAll(async () => {
  await own.drop();
  await own.stop();
  await receiver.close();
});

const many = (count: number, ...companies: string[]) => Array.from({ length: count }, () => statusChanged(companies));

test('an endpoint that hangs delays no other', async () => {
  const hung: ServerResponse[] = [];
  receiver.behave((_req, res) => void hung.push(res), '/hangs');
  const [slow, healthy] = [aCompany(), aCompany()];
  await own.endpoint(slow, receiver.url('/hangs'));
  await own.endpoint(healthy, receiver.url('/healthy'));
  await own.publish(...many(40, slow.companyId, healthy.companyId));
  await eventually(() => expect(receiver.at('/healthy')).toHaveLength(40));
  expect(receiver.at('/hangs')).toHaveLength(testSettings.endpointConcurrency);
  receiver.behave(behaviours.ok, '/hangs');
  for (const res of hung) res.end();
  await eventually(() => expect(receiver.at('/hangs')).toHaveLength(40));
});

test('a burst for an endpoint that answers slowly delays no other', async () => {
  const slowly: Behaviour = (...given) => void setTimeout(() => behaviours.ok(...given), 500);
  receiver.behave(slowly, '/flood');
  const [flooded, other] = [aCompany(), aCompany()];
  await own.endpoint(flooded, receiver.url('/flood'));
  await own.endpoint(other, receiver.url('/beside'));
  await own.publish(...many(1_000, flooded.companyId), ...many(1, other.companyId));
  await eventually(() => expect(receiver.at('/beside')).toHaveLength(1));
  // Few of the burst were attempted before the other endpoint's event; in plain order nearly all would have been.
  expect(receiver.at('/flood').length).toBeLessThan(500);
});

test('hanging endpoints with a backlog leave every other endpoint its share of slots', async () => {
  const limits = { totalConcurrency: 20, inMemoryPerEndpoint: 64 };
  const crowded = await startDispatcher(limits);
  const hung: ServerResponse[] = [];
  receiver.behave((_req, res) => void hung.push(res), '/hogs');
  const hogs = aCompany();
  for (let n = 0; n < 2; n++) await crowded.endpoint(hogs, receiver.url('/hogs'));
  await crowded.publish(...many(80, hogs.companyId));
  const deliveries = crowded.connection.collection('deliveries');
  // The limit in memory is used up; each further endpoint still gets a share of its own.
  await eventually(async () => expect(await deliveries.countDocuments({ lease: { $exists: true } })).toBe(80));
  const together: (() => void)[] = [];
  receiver.behave((...given) => void together.push(() => behaviours.ok(...given)), '/share');
  const healthy = await subscriberOf({ dispatcher: crowded, receiver }, '/share');
  await healthy.publish(4);
  await eventually(() => expect(together).toHaveLength(4));
  for (const end of together) end();
  await healthy.ended(4, 'succeeded');
  receiver.behave(behaviours.ok, '/hogs');
  for (const res of hung) res.end();
  await eventually(() => expect(receiver.at('/hogs')).toHaveLength(160));
  await crowded.drop();
  await crowded.stop();
});
