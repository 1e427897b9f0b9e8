import { answer, eventually } from '@app/testing';
import { isReserved } from '../../endpoints/custom-header.ts';
import { createEndpointStore } from '../../endpoints/endpoint-store.ts';
import { aCompany, type Dispatcher, useDispatcher } from '../dispatcher.ts';
import { quietRelay } from '../quiet-relay.ts';
import { subscriberOf } from '../subscriber.ts';

const path = '/webhooks/endpoints';
const secretValue = 'Bearer 6f1d0c9e4b7a4f7e';
const headers = [
  { name: 'Authorization', value: secretValue },
  { name: 'X-Tenant', value: 'north' },
];
const names = headers.map(({ name }) => ({ name }));
const own = useDispatcher({ retryDelaysMs: [1] });
const call = (...request: Parameters<Dispatcher['call']>) => own.dispatcher.call(...request);

/** An endpoint of a new company at a path of its own, and the headers that it got. */
async function subscriber(at: string, given = headers) {
  const one = await subscriberOf(own, at, { headers: given });
  const got = async (count: number) => (await one.arrived(count)).map((received) => received.headers);
  return { ...one, got };
}

test('headers are sent with every attempt and with the test; a change replaces them, or keeps them', async () => {
  own.receiver.behave(answer(500), '/all');
  const { publish, on, change, got } = await subscriber('/all');
  await publish();
  await got(2);
  await on('test');
  for (const sent of await got(3)) {
    expect(sent).toMatchObject({ authorization: secretValue, 'x-tenant': 'north' });
    expect(sent).toHaveProperty('x-service-event');
  }
  const changed = await change({ headers: [{ name: 'X-Tenant', value: 'south' }] });
  expect(changed).toMatchObject({ status: 200, body: { headers: [{ name: 'X-Tenant' }] } });
  await change({ name: 'ERP 2' });
  await publish();
  for (const sent of (await got(5)).slice(3)) {
    expect(sent).toMatchObject({ 'x-tenant': 'south' });
    expect(sent).not.toHaveProperty('authorization');
  }
  expect((await change({ headers: [] })).body.headers).toEqual([]);
  await on('test');
  expect((await got(6)).at(-1)).not.toHaveProperty('x-tenant');
});

test('their names are shown and their values never again, nor logged or kept readable', async () => {
  own.receiver.behave(answer(500, 'no'), '/hidden');
  const { created, path: endpoint, company, publish, read, change, on, logged } = await subscriber('/hidden');
  expect(created.body).toMatchObject({ headers: names });
  await publish();
  const [exhausted] = await logged([{ status: 'exhausted' }]);
  const all = (await call(company, 'get', path)).body;
  const shown = [
    created.body,
    exhausted,
    all,
    await read(),
    (await change({ name: 'ERP 2' })).body,
    ...[(await call(company, 'get', `${endpoint}/deliveries/${exhausted?.id}`)).body, (await on('test')).body],
  ];
  expect(shown.slice(2, 5)).toMatchObject([{ items: [{ headers: names }] }, { headers: names }, { headers: names }]);
  const stored = await own.dispatcher.connection.collection('endpoints').find().toArray();
  const kept = await own.dispatcher.connection.collection('deliveries').find().toArray();
  for (const value of [secretValue, 'north']) {
    expect(JSON.stringify([shown, stored, kept, own.dispatcher.logger.lines])).not.toContain(value);
  }
});

test('no header of ours can be set: what a receiver gets is reserved, each name', async () => {
  const { on, got } = await subscriber('/reserved', []);
  await on('test');
  const [sent = {}] = await got(1);
  expect(Object.keys(sent).filter((name) => !isReserved(name))).toEqual([]);
});

test('deliveries that are held while their endpoint gets other headers are sent with these', async () => {
  const waiting: (() => void)[] = [];
  own.receiver.behave((...given) => void waiting.push(() => answer(200)(...given)), '/held');
  const { publish, change, got } = await subscriber('/held');
  await publish(12);
  await eventually(() => expect(waiting).toHaveLength(4));
  await change({ headers: [{ name: 'X-Tenant', value: 'south' }] });
  own.receiver.behave(answer(200), '/held');
  for (const end of waiting) end();
  const tenants = (await got(12)).map((sent) => sent['x-tenant']);
  expect(tenants.toSorted()).toEqual([...Array(4).fill('north'), ...Array(8).fill('south')]);
});

test('a URL of another origin drops them, and says so: whoever moves it could read them there', async () => {
  const { change, on, got, read } = await subscriber('/moved');
  expect((await change({ url: own.receiver.url('/moved?again') })).body).toMatchObject({ headers: names });
  const moved = await change({ url: 'https://erp.example.com/moved' });
  expect(moved).toMatchObject({ status: 200, body: { headers: [], droppedHeaders: names } });
  const back = await change({ url: own.receiver.url('/moved') });
  expect(back.body).not.toHaveProperty('droppedHeaders');
  await on('test');
  expect((await got(1))[0]).not.toHaveProperty('authorization');
  const given = { url: 'https://erp.example.com/', headers: [{ name: 'X-Tenant', value: 'north' }] };
  expect((await change(given)).body).not.toHaveProperty('droppedHeaders');
  expect((await read()).headers).toEqual([{ name: 'X-Tenant' }]);
});

test('headers that are sent while another request moves the endpoint do not go to the new receiver', async () => {
  const { id, company, change, read } = await subscriber('/raced', []);
  const store = createEndpointStore(own.dispatcher.connection, quietRelay);
  const before = await store.find(company.companyId, id);
  await change({ url: 'https://elsewhere.example.com/' });
  const patch = { customHeaders: { names: ['Authorization'], sealed: 'x' } };
  expect(await store.update(before as never, patch, { at: new Date(), events: [] })).toBeNull();
  expect((await read()).headers).toEqual([]);
});

test('a deleted endpoint keeps none', async () => {
  const { id, remove } = await subscriber('/deleted');
  await remove();
  const record = await own.dispatcher.connection.collection('endpoints').findOne({ _id: id as never });
  expect(record).not.toHaveProperty('customHeaders');
});

const of = (name: unknown, value: unknown = 'x') => [{ name, value }] as typeof headers;
const many = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `X-${n}`, value: 'v'.repeat(length) }));

test.each<[string, typeof headers]>([
  ['ten', many(10, 1)],
  ['4,096 characters in all', [...many(3, 1_024), { name: 'X-Last', value: 'v'.repeat(4_096 - 3 * 1_027 - 6) }]],
  ['a name of 64 characters', of('x'.repeat(64))],
  ['every character of a name', of("!#$%&'*+-.^_`|~09azAZ")],
  ['a value with blanks and signs', of('X-A', 'a b !~"\\')],
  ['none', []],
])('%s: taken', async (_what, given) => {
  const { created } = await subscriber('/taken', given);
  expect(created).toMatchObject({ status: 201, body: { headers: given.map(({ name }) => ({ name })) } });
});

test.each<[string, unknown, string[]]>([
  ['eleven', many(11, 1), ['headers']],
  [
    '4,097 characters in all',
    [...many(3, 1_024), { name: 'X-Last', value: 'v'.repeat(4_097 - 3 * 1_027 - 6) }],
    ['headers'],
  ],
  ['a name twice', [...of('X-A'), ...of('x-a')], ['headers']],
  ['no name', of(''), ['headers.0.name']],
  ['a name of 65 characters', of('x'.repeat(65)), ['headers.0.name']],
  ['a name with a colon', of('X-A:'), ['headers.0.name']],
  ['a name with a line end', of('X-A\r\nX-B'), ['headers.0.name']],
  ['a name with an accent', of('é'), ['headers.0.name']],
  ['a reserved name', of('Host'), ['headers.0.name']],
  ['no value', of('X-A', ''), ['headers.0.value']],
  ['a value of 1,025 characters', of('X-A', 'x'.repeat(1_025)), ['headers.0.value']],
  ['a value with a line end', of('X-A', 'a\r\nX-B: b'), ['headers.0.value']],
  ['a value with an accent', of('X-A', 'é'), ['headers.0.value']],
  ['a value that ends in a blank', of('X-A', 'a '), ['headers.0.value']],
  ['two faults', [...of('Host'), ...of('X-A', 7)], ['headers.0.name', 'headers.1.value']],
  ['names and values that are objects', of({ toString: 1 }, { $gt: '' }), ['headers.0.name', 'headers.0.value']],
  ['null', [null], ['headers.0']],
  ['an object', { 'X-A': 'x' }, ['headers']],
])('%s: 422 at its place, at creation and at a change, without the value', async (_what, given, paths) => {
  const company = aCompany();
  const body = { name: 'ERP', url: 'https://erp.example.com/', events: ['ticket.status_changed'] };
  const { id } = (await call(company, 'post', path, body)).body;
  for (const refused of [
    await call(company, 'post', path, { ...body, headers: given }),
    await call(company, 'patch', `${path}/${id}`, { headers: given }),
  ]) {
    expect([refused.status, refused.body.errors.map((fault: { path: string }) => fault.path)]).toEqual([422, paths]);
    expect(JSON.stringify(refused.body)).not.toMatch(/X-B: b|é/);
  }
  expect((await call(company, 'get', path)).body.items).toMatchObject([{ headers: [] }]);
});
