import { companyCreated, type DomainEvent, type EventType, snapshotsRequested, userCreated } from '@app/contracts';
import { newId } from '@app/kernel';
import { connectBroker, on, toCloudEvents } from '@app/messaging';
import { eventually, testInfra, testLogger } from '@app/testing';
import { type Identity, startIdentity } from './identity.ts';

let identity: Identity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

test('asked for companies, it tells every one again, a page at a time; other kinds are left to their owners', async () => {
  const companies = Array.from({ length: 1_003 }, (_, index) => {
    const siren = index % 2 ? '732829320' : null;
    return { _id: newId(), name: `Company ${index}`, kind: 'client', siret: siren && `${siren}00074`, siren };
  });
  await identity.connection.collection('companies').insertMany(companies as never);
  const ids = companies.map(({ _id }) => _id).sort();

  const { namespace } = identity;
  const broker = await connectBroker({ url: testInfra().amqpUrl, namespace, service: 'test', logger: testLogger() });
  const told: DomainEvent[] = [];
  const keep = async (event: DomainEvent) => void told.push(event);
  const table = [companyCreated, snapshotsRequested].map((type) => on(type as unknown as EventType<unknown>, keep));
  await broker.subscribe({ queue: 'facts', table });
  const asked = (['tickets', 'companies'] as const).map((kind) =>
    snapshotsRequested({ request_id: newId(), kind, after: null }, new Date()),
  );
  await broker.publish(toCloudEvents('test', asked));
  await eventually(() => expect(told.flatMap(({ subject }) => subject ?? []).sort()).toEqual(ids));
  const [{ _id: id, ...facts }] = companies as [(typeof companies)[number]];
  expect(told.find(({ subject }) => subject === id)).toMatchObject({ source: '/services/identity' });
  expect(told.find(({ subject }) => subject === id)?.data).toEqual({ company: { id, ...facts } });
  const requests = told.filter(({ type }) => type === snapshotsRequested.type);
  expect(requests.map(({ data }) => (data as { after: string | null }).after).sort()).toEqual(
    [null, null, ids[499], ids[999]].sort(),
  );
  await broker.close();
});

test('asked for users, it tells every one again, without anything secret', async () => {
  const users = Array.from({ length: 501 }, (_, index) => ({
    _id: newId(),
    company_id: newId(),
    email: `user-${index}@example.com`,
    first_name: 'A',
    last_name: 'B',
    phone: null,
    permissions: ['api_webhooks'],
    password_hash: 'hush',
    created_at: new Date(),
  }));
  await identity.connection.collection('users').insertMany(users as never);
  const { namespace } = identity;
  const broker = await connectBroker({ url: testInfra().amqpUrl, namespace, service: 'other', logger: testLogger() });
  const told: DomainEvent[] = [];
  const keep = async (event: DomainEvent) => void told.push(event);
  await broker.subscribe({ queue: 'users', table: [on(userCreated as unknown as EventType<unknown>, keep)] });
  const wanted = snapshotsRequested({ request_id: newId(), kind: 'users', after: null }, new Date());
  await broker.publish(toCloudEvents('other', [wanted]));
  const ids = users.map(({ _id }) => _id).sort();
  await eventually(() => expect(told.flatMap(({ subject }) => subject ?? []).sort()).toEqual(ids));
  expect(JSON.stringify(told)).not.toContain('hush');
  await broker.close();
});
