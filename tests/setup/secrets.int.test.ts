import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaksIn, logOf, recordSecret, recordSecrets } from './secrets.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'secrets-'));
  writeFileSync(
    join(dir, 'keys.json'),
    JSON.stringify({ SESSION_KEYS: 'k1:session-key', PUBLIC_KEYS: 'k1:public-key' }),
  );
  recordSecret(dir, 'token-of-a-caller');
  recordSecrets(dir, { items: [{ webhookSecret: 'secret-of-an-endpoint', name: 'ordinary-name' }], password: 'short' });
});
afterAll(() => rmSync(dir, { recursive: true }));

test.each([
  ['a token', 'gateway │ Bearer token-of-a-caller was refused', 'gateway │ Bearer tok… was refused'],
  ['a secret of a body', 'connection │ {"a":"secret-of-an-endpoint"}', 'connection │ {"a":"sec…"}'],
  ['a key of the platform', 'identity │ session-key', 'identity │ ses…'],
])('a log line with %s is a leak, which is shown without it', async (_what, line, shown) => {
  writeFileSync(logOf(dir), `before\n${line}\nafter\n`);
  expect(await leaksIn(dir)).toEqual([shown]);
});

test('public keys, ordinary fields and what is too short to be a secret are none', async () => {
  writeFileSync(logOf(dir), 'public-key\nordinary-name\nshort\n');
  expect(await leaksIn(dir)).toEqual([]);
});
