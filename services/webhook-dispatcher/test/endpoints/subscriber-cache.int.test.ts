import { newId } from '@app/kernel';
import { ensureIndexes } from '@app/runtime';
import { testDatabase } from '@app/testing';
import type { EndpointWithSecret } from '../../endpoints/endpoint.ts';
import { createEndpointStore, type EndpointStore } from '../../endpoints/endpoint-store.ts';
import { SubscriberCache } from '../../endpoints/subscriber-cache.ts';
import { quietRelay } from '../quiet-relay.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
const companyId = newId();
const at = new Date();
const endpoint: EndpointWithSecret = {
  ...{ id: newId(), companyId, name: 'ERP', url: 'https://example.com/', events: ['ticket.note_added'], active: true },
  ...{ consecutiveFailures: 0, disabledReason: null, createdAt: at, updatedAt: at, sealedSecret: 'sealed' },
};
let here: EndpointStore;
let elsewhere: SubscriberCache;

beforeEach(async () => {
  database = await testDatabase();
  here = createEndpointStore(database.connection, quietRelay);
  await ensureIndexes(database.connection);
  elsewhere = new SubscriberCache({ endpoints: createEndpointStore(database.connection, quietRelay) });
});

afterEach(() => database.drop());

const subscribers = async (event: string) => (await elsewhere.find([companyId], event)).map((one) => one.endpoint);

test('once a change is answered, another replica sends by it, even if it has just read the endpoints', async () => {
  expect(await subscribers('ticket.note_added')).toEqual([]);
  await here.add(endpoint, []);
  expect(await subscribers('ticket.note_added')).toMatchObject([{ id: endpoint.id, active: true }]);
  await here.update(endpoint, { active: false }, { at, events: [] });
  expect(await subscribers('ticket.note_added')).toMatchObject([{ id: endpoint.id, active: false }]);
  await here.update(endpoint, { active: true, events: ['ticket.report_added'] }, { at, events: [] });
  expect(await subscribers('ticket.note_added')).toEqual([]);
  expect(await subscribers('ticket.report_added')).toMatchObject([{ id: endpoint.id, active: true }]);
  await here.remove(endpoint, { at, events: [] });
  expect(await subscribers('ticket.report_added')).toEqual([]);
});

test('events that come shortly after each other share one read', async () => {
  let reads = 0;
  const counting = new SubscriberCache({
    cachedMs: 60_000,
    endpoints: { listOfCompanies: async () => [{ ...endpoint, id: String(++reads) }] },
  });
  const found = [];
  for (let event = 0; event < 3; event++) found.push(...(await counting.find([companyId], 'ticket.note_added')));
  expect(found.map((one) => one.endpoint.id)).toEqual(['1', '1', '1']);
});

test('a read that fails is not kept', async () => {
  let isDown = true;
  const listOfCompanies = async () => {
    if (isDown) throw new Error('down');
    return [endpoint];
  };
  const failing = new SubscriberCache({ endpoints: { listOfCompanies } });
  await expect(failing.find([companyId], 'ticket.note_added')).rejects.toThrow('down');
  isDown = false;
  expect(await failing.find([companyId], 'ticket.note_added')).toHaveLength(1);
});
