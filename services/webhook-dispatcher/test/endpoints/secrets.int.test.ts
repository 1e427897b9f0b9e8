import { randomBytes } from 'node:crypto';
import { createSecretBox, reEncrypt } from '@app/runtime';
import { eventually } from '@app/testing';
import { headersContext } from '../../endpoints/custom-header.ts';
import { sealedSecrets } from '../../endpoints/sealed-secrets-store.ts';
import { credentialsKeys, useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

const unreadable = 'secret_unreadable';
const own = useDispatcher({ retryDelaysMs: [] });

const aKey = (id: string) => ({ id, secret: randomBytes(32) });
const endpoints = () => own.dispatcher.connection.collection('endpoints');
const sealedSecret = async (id: string): Promise<string> =>
  (await endpoints().findOne({ _id: id as never }))?.['sealedSecret'];
const setSealed = (id: string, sealed: string) =>
  endpoints().updateOne({ _id: id as never }, { $set: { sealedSecret: sealed } });
/** As if its key had been removed from CREDENTIALS_KEYS too early. */
const sealedByGone = (secret: string, id: string) => createSecretBox([aKey('gone')]).seal(secret, id);

test('a delivery whose secret no key opens fails in the log, disables nothing, and goes once it opens again', async () => {
  const { id, secret, on, publish, logged, arrived, at, read, path, company } = await subscriberOf(own, '/unreadable');
  const before = await sealedSecret(id);
  await setSealed(id, sealedByGone(secret, id));
  await publish(12);
  const failed = { status: 'exhausted', attempts: [{ error: unreadable, statusCode: null }] };
  const [unsent] = await logged(Array(12).fill(failed));
  expect(at()).toEqual([]);
  const shown = await own.dispatcher.call(company, 'get', `${path}/deliveries/${unsent?.id}`);
  expect(shown.body.attempts).toMatchObject([{ error: unreadable, requestHeaders: null }]);
  await eventually(async () => {
    const lastError = expect.stringContaining('the fault is ours');
    expect(await read()).toMatchObject({ active: true, consecutiveFailures: 0, health: 'failing', lastError });
  });
  expect((await on('test')).body).toMatchObject({ success: false, statusCode: null, error: unreadable });

  await setSealed(id, before);
  expect((await on('recover', { since: '2026-01-01T00:00:00.000Z' })).body).toEqual({ queued: 12 });
  await arrived(12);
});

// The command around it: re-encrypt.slow.test.ts.
const again = (keys: typeof credentialsKeys) =>
  reEncrypt(sealedSecrets(own.dispatcher.connection), createSecretBox(keys));
const headers = [{ name: 'X-Key', value: 'of-the-receiver' }];

test('secrets of endpoints are encrypted again with the first key; what no key opens is named; it may run again', async () => {
  await endpoints().deleteMany({});
  const newKey = aKey('2027');
  const keys = [newKey, ...credentialsKeys];
  const add = () => subscriberOf(own, '/anew');
  const made = [await subscriberOf(own, '/anew', { headers }), await add(), await add()];
  const [lost, deleted] = [await add(), await add()];
  await setSealed(lost.id, sealedByGone(lost.secret, lost.id));
  const asItWas = await sealedSecret(lost.id);
  await deleted.remove();

  expect(await again(keys)).toEqual({ changed: 3, unreadable: [lost.id] });
  expect(await sealedSecret(lost.id)).toBe(asItWas);
  const opened = made.map(async ({ id }) => createSecretBox([newKey]).open(await sealedSecret(id), id));
  expect(await Promise.all(opened)).toEqual(made.map(({ secret }) => secret));
  const [withHeaders] = await endpoints().find({ 'customHeaders.names': 'X-Key' }).toArray();
  const sealed = String(withHeaders?.['customHeaders'].sealed);
  expect(createSecretBox([newKey]).open(sealed, headersContext(String(made[0]?.id)))).toContain('of-the-receiver');

  await lost.remove();
  // But for what is still to be published of the removals.
  const all = () =>
    endpoints()
      .find({}, { projection: { outbox: 0 } })
      .toArray();
  const before = await all();
  expect(await again(keys)).toEqual({ changed: 0, unreadable: [] });
  expect(await all()).toEqual(before);
});

test('headers that no key opens stop an attempt as the secret does, and are named', async () => {
  await endpoints().deleteMany({});
  const { id, on, at } = await subscriberOf(own, '/headers', { headers });
  const sealed = createSecretBox([aKey('gone')]).seal('[]', headersContext(id));
  await endpoints().updateOne({ _id: id as never }, { $set: { 'customHeaders.sealed': sealed } });
  expect((await on('test')).body).toMatchObject({ success: false, statusCode: null, error: unreadable });
  expect(at()).toEqual([]);
  expect(await again([aKey('2027'), ...credentialsKeys])).toEqual({ changed: 1, unreadable: [id] });
});
