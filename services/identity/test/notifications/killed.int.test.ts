import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { notification } from '@app/contracts';
import { toCloudEvents } from '@app/messaging';
import { connectMongo } from '@app/runtime';
import {
  eventually,
  type ServiceProcess,
  signPrincipal,
  startServiceProcess,
  testBroker,
  testInfra,
  testNamespace,
} from '@app/testing';
import { aUser, platform, platformAdminToken } from '../identity.ts';

test('an identity that is killed again and again loses no notification, and gives none twice', async () => {
  const namespace = testNamespace();
  const settings = {
    NAMESPACE: namespace,
    SESSION_KEYS: `k:${randomBytes(32).toString('base64')}`,
    PLATFORM_ADMIN_TOKEN: platformAdminToken,
    PUBLIC_TS_API_URL: 'https://ts.example.com',
  };
  const connection = await connectMongo({ url: testInfra().mongodbUrl, database: `${namespace}identity` });
  const stored = connection.collection('notifications');
  let identity: ServiceProcess | undefined;
  const start = async () => {
    identity = await startServiceProcess(join(__dirname, '../../main.ts'), settings);
    return identity;
  };
  try {
    const { url } = await start();
    const broker = await testBroker(namespace);
    const headers = { 'content-type': 'application/json', ...(await signPrincipal(platform)) };
    const post = async (path: string, body: object): Promise<string> => {
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return ((await answer.json()) as { id: string }).id;
    };
    const company_id = await post('/admin/companies', { name: 'Acme', kind: 'client' });
    const users = await Promise.all([1, 2, 3].map(() => post('/admin/users', aUser(company_id))));
    const keys = Array.from({ length: 300 }, (_, n) => `ticket:${n}:note:1`);
    const to = { user_ids: users, place_ids: null };
    const events = keys.map((key) => notification({ company_id, kind: 'note', key, to }, new Date()));
    await broker.publish(toCloudEvents('ticket', events));
    for (const count of [1, 300]) {
      await eventually(async () => expect(await stored.countDocuments()).toBeGreaterThan(count));
      await identity?.kill();
      await start();
    }
    const expected = users.flatMap((user) => keys.map((key) => `${user} ${key}`)).sort();
    await eventually(async () => expect(await stored.countDocuments()).toBe(expected.length));
    const found = await stored.find({}, { projection: { user_id: 1, key: 1 } }).toArray();
    expect(found.map(({ user_id, key }) => `${user_id} ${key}`).sort()).toEqual(expected);
    await broker.close();
  } finally {
    await identity?.kill();
    await connection.dropDatabase();
    await connection.close();
  }
});
