import { inspect } from 'node:util';
import { invoiceFetched } from '@app/contracts';
import { createSecretBox, reEncrypt } from '@app/runtime';
import { eventually, testDatabase } from '@app/testing';
import { sealContext } from '../../connections/connection.ts';
import { sealedSecrets } from '../../connections/connection-store.ts';
import { aKey, anAccountant, anInvoice, hmac, type Service, signed, startService, webhookPath } from '../service.ts';

const keys = [aKey('2025')];
const apiKey = 'api-key-never-to-be-seen-é-7f3a9c';
const webhookSecret = 'webhook-secret-never-to-be-seen-é-51d0e2';
const secrets = [apiKey, webhookSecret];
let service: Service;
beforeAll(async () => {
  service = await startService({ keys });
});
afterEach(() => service.sandbox.heal());
afterAll(() => service.stop());

/** Every document of every collection, binary fields as text too. */
async function dump(): Promise<string> {
  const collections = await service.database.db?.collections();
  const all = await Promise.all((collections ?? []).map((one) => one.find({}).toArray()));
  return inspect(all, { depth: null, maxStringLength: null, maxArrayLength: null });
}

const inAnyForm = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64').slice(4, -4),
  Buffer.from(secret).toString('hex'),
];

test('no log line, answer, event or document shows a secret, whatever goes wrong', async () => {
  const one = await service.connected({ apiKey, webhookSecret });
  const as = one.owner;
  const { id } = service.sandbox.put(apiKey, anInvoice());
  const { raw } = signed(as.companyId, [id, 'unknown'], webhookSecret);
  await service.notify(one, id, 'unknown');
  await eventually(() => expect(service.events(invoiceFetched)).toHaveLength(1));
  // Errors of requests that hold secrets: refused, malformed, conflicting, refused by a provider that repeats the key.
  await service.call('POST', webhookPath, { raw, headers: { 'x-sandbox-signature': hmac('wrong', raw) } });
  for (const given of [
    { body: { provider: 'sandbox', apiKey, webhookSecret } },
    { body: { provider: apiKey, apiKey: [apiKey], webhookSecret } },
    { raw: `{"apiKey":"${apiKey}","webhookSecret":"${webhookSecret}` },
  ]) {
    await service.call('POST', '/invoice-connections', { as, ...given });
  }
  await service.patch(one, { apiKey, webhookSecret, nonsense: 1 });
  await service.patch({ ...one, owner: anAccountant() }, { apiKey, webhookSecret });
  for (const status of [500, 422, 401]) {
    const body = { code: 'x', message: `the key ${apiKey} is wrong` };
    service.sandbox.fail({ kind: 'status', status, body, times: 1 });
    await service.notify(one, `fails-${status}`);
  }
  await eventually(async () => {
    const { body } = await service.call('GET', '/invoice-connections', { as });
    expect(body).toMatchObject([{ health: { status: 'unhealthy' } }]);
  });
  await service.patch(one, { apiKey, webhookSecret });

  const visible = [
    inspect(service.logger.lines, { depth: null, maxStringLength: null, maxArrayLength: null }),
    JSON.stringify(service.answers),
    JSON.stringify(service.events(invoiceFetched)),
    await dump(),
  ];
  expect(service.logger.lines.length).toBeGreaterThan(5);
  for (const text of visible) {
    for (const form of secrets.flatMap(inAnyForm)) expect(text.includes(form)).toBe(false);
  }
});

test('a secret decrypts for its own connection and field alone', async () => {
  const one = await service.connected({ apiKey: 'key-of-one', webhookSecret });
  const other = await service.connected({ apiKey: 'key-of-other', webhookSecret });
  const records = service.database.collection('connections');
  const sealed = (await records.findOne({ _id: one.id as never }))?.['apiKey'] as string;
  const box = createSecretBox(keys);
  expect(box.open(sealed, sealContext(one.id, 'apiKey'))).toBe('key-of-one');
  expect(() => box.open(sealed, sealContext(other.id, 'apiKey'))).toThrow();
  expect(() => box.open(sealed, sealContext(one.id, 'webhookSecret'))).toThrow();
});

// The command around it: services/webhook-dispatcher/test/endpoints/re-encrypt.slow.test.ts.
test('everything is encrypted again with the first key, and may be once more', async () => {
  const newKey = aKey('2026');
  const { connection: copy, drop } = await testDatabase();
  const again = (given: typeof keys) => reEncrypt(sealedSecrets(copy), createSecretBox(given));
  try {
    const records = await service.database.collection('connections').find({ deleted: false }).toArray();
    expect(records.length).toBeGreaterThan(2);
    await copy.collection('connections').insertMany(records);
    expect(await again([newKey, ...keys])).toEqual({ changed: records.length, unreadable: [] });
    const sealed = await copy.collection('connections').find().toArray();
    const box = createSecretBox([newKey]);
    for (const { _id, apiKey: key, webhookSecret: secret } of sealed) {
      expect(box.open(key, sealContext(String(_id), 'apiKey')).length).toBeGreaterThan(0);
      expect(box.open(secret, sealContext(String(_id), 'webhookSecret'))).toBe(webhookSecret);
    }
    expect(await again([newKey, ...keys])).toEqual({ changed: 0, unreadable: [] });
    expect(await copy.collection('connections').find().toArray()).toEqual(sealed);
    const ids = records.map(({ _id }) => String(_id)).sort();
    expect(await again([aKey('2027')])).toEqual({ changed: 0, unreadable: ids });
  } finally {
    await drop();
  }
});

test('a service with a new first key works with what the old key encrypted', async () => {
  const one = await service.connected({ webhookSecret });
  const newer = await service.replica({ keys: [aKey('2026'), ...keys] });
  expect((await service.webhook(one, [], newer.call)).status).toBe(202);
});
