import { setTimeout as delay } from 'node:timers/promises';
import { type Behaviour, behaviours, eventually, type Receiver, startReceiver } from '@app/testing';
import { deliveryId } from '../../deliveries/delivery.ts';
import { aCompany, type Dispatcher, startDispatcher, statusChanged } from '../dispatcher.ts';

let receiver: Receiver;
let one: Dispatcher;
beforeEach(async () => {
  receiver = await startReceiver();
  one = await startDispatcher({ timeoutMs: 60_000 });
});
afterEach(async () => {
  await one.drop();
  await one.stop();
  await receiver.close();
});

/** How long a replica uses its cached endpoint. */
const freshMs = 1_000;
type Company = ReturnType<typeof aCompany>;
const path = (id: string) => `/webhooks/endpoints/${id}`;

/** Two replicas attempt four each, and each holds more. The receiver answers the eight when `answer` is called. */
async function heldByTwo(company: Company) {
  const waiting: (() => void)[] = [];
  const hold: Behaviour = (...given) => void waiting.push(() => behaviours.ok(...given));
  const two = await startDispatcher({ timeoutMs: 60_000 }, one.namespace);
  receiver.behave(hold, '/old');
  const { id } = await one.endpoint(company, receiver.url('/old'));
  await one.publish(...Array.from({ length: 24 }, () => statusChanged([company.companyId])));
  await eventually(() => expect(receiver.at('/old')).toHaveLength(8));
  const answer = async () => {
    await delay(freshMs);
    for (const end of waiting.splice(0)) end();
  };
  return { id, two, answer };
}

test.each<[string, (from: Dispatcher, company: Company, id: string) => Promise<unknown>]>([
  ['deleted', (from, company, id) => from.call(company, 'delete', path(id))],
  ['deactivated', (from, company, id) => from.call(company, 'patch', path(id), { active: false })],
])('after an endpoint was %s through one replica, no other sends the deliveries that it holds', async (_how, stop) => {
  const company = aCompany();
  const { id, two, answer } = await heldByTwo(company);
  await stop(two, company, id);
  await answer();
  const deliveries = one.connection.collection('deliveries');
  const counted = (status: string) => deliveries.countDocuments({ endpointId: id, status });
  await eventually(async () => expect(await counted('succeeded')).toBe(8));
  await eventually(async () => expect(await counted('canceled')).toBe(16));
  // Attempts that were started may end.
  await two.stop();
  const three = await startDispatcher({}, one.namespace);
  await one.stop();
  expect(receiver.at('/old')).toHaveLength(8);
  one = three;
});

test('waiting deliveries go to the new url, through any replica', async () => {
  const company = aCompany();
  const { id, two, answer } = await heldByTwo(company);
  await two.call(company, 'patch', path(id), { url: receiver.url('/new') });
  await answer();
  await eventually(() => expect(receiver.at('/new')).toHaveLength(16));
  expect(receiver.at('/old')).toHaveLength(8);
  await eventually(async () => expect(await one.deliveries(company, id, '?status=succeeded')).toHaveLength(24));
  await two.stop();
});

test('a delivery that is being stored while its endpoint changes goes to the new url before its lease ends', async () => {
  const company = aCompany();
  const waiting: (() => void)[] = [];
  receiver.behave((...given) => void waiting.push(() => behaviours.ok(...given)), '/old');
  const { id } = await one.endpoint(company, receiver.url('/old'));
  const events = Array.from({ length: 5 }, () => statusChanged([company.companyId]));
  // An insert of the same id waits until this transaction has ended.
  const deliveries = one.connection.collection<{ _id: string }>('deliveries');
  const session = await one.connection.startSession();
  session.startTransaction();
  for (const event of events) await deliveries.insertOne({ _id: deliveryId(event, id) }, { session });
  await one.publish(...events);
  await eventually(() => expect(waiting).toHaveLength(4));
  await eventually(async () => expect(await insertsUnderWay()).toBeGreaterThan(0));
  await one.call(company, 'patch', path(id), { url: receiver.url('/new') });
  await session.abortTransaction();
  await session.endSession();
  for (const end of waiting) end();
  await eventually(() => expect(receiver.at('/new')).toHaveLength(1));
  expect(receiver.at('/old')).toHaveLength(4);
});

/** The number of running inserts of deliveries in MongoDB. */
async function insertsUnderWay(): Promise<number> {
  const { name, db } = one.connection;
  const admin = one.connection.getClient().db('admin');
  const { inprog } = await admin.command({ currentOp: 1, op: 'insert', ns: `${db?.databaseName ?? name}.deliveries` });
  return inprog.length;
}

test('through the replica that changed it, waiting deliveries go to the new url at once', async () => {
  const company = aCompany();
  const waiting: (() => void)[] = [];
  receiver.behave((...given) => void waiting.push(() => behaviours.ok(...given)), '/old');
  const { id } = await one.endpoint(company, receiver.url('/old'));
  await one.publish(...Array.from({ length: 12 }, () => statusChanged([company.companyId])));
  await eventually(() => expect(waiting).toHaveLength(4));
  await one.call(company, 'patch', path(id), { url: receiver.url('/new') });
  for (const end of waiting) end();
  await eventually(() => expect(receiver.at('/new')).toHaveLength(8));
  expect(receiver.at('/old')).toHaveLength(4);
});
