import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createSecretBox } from '@app/runtime';
import { eventually, type Receiver, testInfra } from '@app/testing';
import { headersContext } from '../../endpoints/custom-header.ts';
import { aCompany, credentialsKeys, type Dispatcher, statusChanged, useDispatcher } from '../dispatcher.ts';

const path = '/webhooks/endpoints';
const unreadable = 'secret_unreadable';
let receiver: Receiver;
let dispatcher: Dispatcher;
useDispatcher({ retryDelaysMs: [] }, (one, beside) => {
  dispatcher = one;
  receiver = beside;
});

const aKey = (id: string) => ({ id, secret: randomBytes(32) });
const endpoints = () => dispatcher.connection.collection('endpoints');
const sealedSecret = async (id: string): Promise<string> =>
  (await endpoints().findOne({ _id: id as never }))?.['sealedSecret'];
const setSealed = (id: string, sealed: string) =>
  endpoints().updateOne({ _id: id as never }, { $set: { sealedSecret: sealed } });
/** As if its key had been removed from CREDENTIALS_KEYS too early. */
const sealedByGone = (secret: string, id: string) => createSecretBox([aKey('gone')]).seal(secret, id);

test('a delivery whose secret no key opens fails in the log, disables nothing, and goes once it opens again', async () => {
  const company = aCompany();
  const { id, secret } = await dispatcher.endpoint(company, receiver.url('/unreadable'));
  const before = await sealedSecret(id);
  await setSealed(id, sealedByGone(secret, id));
  await dispatcher.publish(...Array.from({ length: 12 }, () => statusChanged([company.companyId])));
  await eventually(async () => {
    const items = await dispatcher.deliveries(company, id);
    const failed = { status: 'exhausted', attempts: [{ error: unreadable, statusCode: null }] };
    expect(items).toMatchObject(Array(12).fill(failed));
  });
  expect(receiver.at('/unreadable')).toEqual([]);
  const [unsent] = await dispatcher.deliveries(company, id);
  const read = await dispatcher.call(company, 'get', `${path}/${id}/deliveries/${unsent?.id}`);
  expect(read.body.attempts).toMatchObject([{ error: unreadable, requestHeaders: null }]);
  await eventually(async () => {
    const [endpoint] = (await dispatcher.call(company, 'get', path)).body.items;
    expect(endpoint).toMatchObject({ active: true, consecutiveFailures: 0, health: 'failing' });
    expect(endpoint.lastError).toContain('the fault is ours');
  });
  const tested = await dispatcher.call(company, 'post', `${path}/${id}/test`);
  expect(tested.body).toMatchObject({ success: false, statusCode: null, error: unreadable });

  await setSealed(id, before);
  const since = '2026-01-01T00:00:00.000Z';
  expect((await dispatcher.call(company, 'post', `${path}/${id}/recover`, { since })).body).toEqual({ queued: 12 });
  await eventually(() => expect(receiver.at('/unreadable')).toHaveLength(12));
});

/** The command as a process, with these keys. */
async function reEncrypt(keys: typeof credentialsKeys): Promise<{ code: number | null; said: string }> {
  const env = {
    ...process.env,
    MONGODB_URL: testInfra().mongodbUrl,
    NAMESPACE: dispatcher.namespace,
    CREDENTIALS_KEYS: keys.map(({ id, secret }) => `${id}:${secret.toString('base64')}`).join(','),
  };
  const root = join(__dirname, '../../../..');
  const child = spawn('npm', ['run', '--silent', 're-encrypt'], { cwd: root, env, stdio: 'pipe' });
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  child.stderr.on('data', (text) => (said += text));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, said };
}

test('the command encrypts the secrets of endpoints again with the first key, names what no key opens, and may run again', async () => {
  await endpoints().deleteMany({});
  const newKey = aKey('2027');
  const keys = [newKey, ...credentialsKeys];
  const company = aCompany();
  const add = () => dispatcher.endpoint(company, receiver.url('/anew'));
  const made = [await add(), await add(), await add()];
  const [lost, deleted] = [await add(), await add()];
  await setSealed(lost.id, sealedByGone(lost.secret, lost.id));
  const asItWas = await sealedSecret(lost.id);
  await dispatcher.call(company, 'delete', `${path}/${deleted.id}`);
  const headers = [{ name: 'X-Key', value: 'of-the-receiver' }];
  await dispatcher.call(company, 'patch', `${path}/${made[0]?.id}`, { headers });

  const run = await reEncrypt(keys);
  expect(run).toEqual({ code: 1, said: expect.stringContaining('"endpoints":3') });
  expect(run.said).toContain(`no key opens the secrets of the endpoints ${lost.id}\n`);
  expect(await sealedSecret(lost.id)).toBe(asItWas);
  const opened = made.map(async ({ id }) => createSecretBox([newKey]).open(await sealedSecret(id), id));
  expect(await Promise.all(opened)).toEqual(made.map(({ secret }) => secret));
  const [withHeaders] = await endpoints().find({ 'customHeaders.names': 'X-Key' }).toArray();
  const sealed = String(withHeaders?.['customHeaders'].sealed);
  expect(createSecretBox([newKey]).open(sealed, headersContext(String(made[0]?.id)))).toContain('of-the-receiver');
  for (const { secret } of made) expect(run.said).not.toContain(secret.slice(6));

  await dispatcher.call(company, 'delete', `${path}/${lost.id}`);
  const before = await endpoints().find().toArray();
  expect(await reEncrypt(keys)).toEqual({ code: 0, said: expect.stringContaining('"endpoints":0') });
  expect(await endpoints().find().toArray()).toEqual(before);
});

test('headers that no key opens stop an attempt as the secret does, and are named by the command', async () => {
  await endpoints().deleteMany({});
  const company = aCompany();
  const { id } = await dispatcher.endpoint(company, receiver.url('/headers'));
  await dispatcher.call(company, 'patch', `${path}/${id}`, { headers: [{ name: 'X-Key', value: 'of-the-receiver' }] });
  const sealed = createSecretBox([aKey('gone')]).seal('[]', headersContext(id));
  await endpoints().updateOne({ _id: id as never }, { $set: { 'customHeaders.sealed': sealed } });
  const tested = await dispatcher.call(company, 'post', `${path}/${id}/test`);
  expect(tested.body).toMatchObject({ success: false, statusCode: null, error: unreadable });
  expect(receiver.at('/headers')).toEqual([]);
  const run = await reEncrypt([aKey('2027'), ...credentialsKeys]);
  expect(run.code).toBe(1);
  expect(run.said).toContain('"endpoints":1');
  expect(run.said).toContain(`no key opens the secrets of the endpoints ${id}\n`);
});
