import { companyCreated, snapshotsRequested, userChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually, recordEvents, testBroker } from '@app/testing';
import { type Identity, startIdentity } from '../identity.ts';

let identity: Identity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

test('on request it publishes a snapshot of every company again, page by page, and of nothing else', async () => {
  const companies = Array.from({ length: 1_003 }, (_, index) => {
    const siren = index % 2 ? '732829320' : null;
    return { _id: newId(), name: `Company ${index}`, kind: 'client', siret: siren && `${siren}00074`, siren };
  });
  await identity.connection.collection('companies').insertMany(companies as never);
  const ids = companies.map(({ _id }) => _id).sort();

  const broker = await testBroker(identity.namespace);
  const published = await recordEvents(broker, [companyCreated, snapshotsRequested]);
  const asked = (['tickets', 'companies'] as const).map((kind) =>
    snapshotsRequested({ request_id: newId(), kind, after: null }, new Date()),
  );
  await broker.publish(toCloudEvents('test', asked));
  await eventually(() => expect(published.flatMap(({ subject }) => subject ?? []).sort()).toEqual(ids));
  const [{ _id: id, ...snapshot }] = companies as [(typeof companies)[number]];
  expect(published.find(({ subject }) => subject === id)).toMatchObject({ source: '/services/identity' });
  expect(published.find(({ subject }) => subject === id)?.data).toEqual({ company: { id, ...snapshot } });
  const requests = published.filter(({ type }) => type === snapshotsRequested.type);
  expect(requests.map(({ data }) => (data as { after: string | null }).after).sort()).toEqual(
    [null, null, ids[499], ids[999]].sort(),
  );
  await broker.close();
});

test('on request it publishes a snapshot of every user again, without secrets', async () => {
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
  const broker = await testBroker(identity.namespace);
  const published = await recordEvents(broker, [userChanged], 'users');
  const wanted = snapshotsRequested({ request_id: newId(), kind: 'users', after: null }, new Date());
  await broker.publish(toCloudEvents('test', [wanted]));
  const ids = users.map(({ _id }) => _id).sort();
  await eventually(() => expect(published.flatMap(({ subject }) => subject ?? []).sort()).toEqual(ids));
  expect(JSON.stringify(published)).not.toContain('hush');
  await broker.close();
});
