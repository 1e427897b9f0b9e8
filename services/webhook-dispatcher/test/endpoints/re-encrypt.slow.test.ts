import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { testInfra } from '@app/testing';
import { credentialsKeys, useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

const own = useDispatcher();

/** The command of package.json as a process, with these keys. */
async function reEncrypt(keys: typeof credentialsKeys): Promise<{ code: number | null; said: string }> {
  const env = {
    ...process.env,
    MONGODB_URL: testInfra().mongodbUrl,
    NAMESPACE: own.dispatcher.namespace,
    CREDENTIALS_KEYS: keys.map(({ id, secret }) => `${id}:${secret.toString('base64')}`).join(','),
  };
  const root = join(__dirname, '../../../..');
  const child = spawn('npm', ['run', '--silent', 'ops', '--', 're-encrypt'], { cwd: root, env, stdio: 'pipe' });
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  child.stderr.on('data', (text) => (said += text));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, said };
}

test('the command of all services encrypts again, shows no secret, and fails by name where no key opens', async () => {
  const { id, secret } = await subscriberOf(own, '/anew');
  const newKey = { id: '2027', secret: randomBytes(32) };
  const done = await reEncrypt([newKey, ...credentialsKeys]);
  expect(done).toEqual({ code: 0, said: expect.stringContaining('"endpoints":1') });
  expect(done.said).not.toContain(secret.slice(6));
  expect(await reEncrypt([newKey, ...credentialsKeys])).toEqual({
    code: 0,
    said: expect.stringContaining('"endpoints":0'),
  });
  const unknown = await reEncrypt([{ id: '2028', secret: randomBytes(32) }]);
  expect(unknown.code).toBe(1);
  expect(unknown.said).toContain(`no key opens the secrets of the endpoints ${id}\n`);
});
