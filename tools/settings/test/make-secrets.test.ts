import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSecrets } from '../make-secrets.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'made');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const contents = () =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

test('secrets are new each time, in a folder that only its owner enters', () => {
  makeSecrets(folder);
  const first = contents();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  rmSync(folder, { recursive: true });
  makeSecrets(folder);
  expect(Object.keys(contents())).toEqual(Object.keys(first));
  const made = Object.entries(contents()).filter(([, content]) => content !== '\n');
  expect(made.length).toBeGreaterThan(10);
  for (const [name, content] of made) expect([name, content]).not.toEqual([name, first[name]]);
});

test('what is there stays; what is missing is made to fit it', () => {
  makeSecrets(folder);
  const before = contents();
  rmSync(join(folder, 'MONGODB_URL'));
  rmSync(join(folder, 'SESSION_KEYS'));
  expect(makeSecrets(folder).sort()).toEqual(['MONGODB_URL', 'SESSION_KEYS']);
  const { SESSION_KEYS: _new, ...after } = contents();
  const { SESSION_KEYS: _old, ...expected } = before;
  expect(after).toEqual(expected);
  expect(makeSecrets(folder)).toEqual([]);
});

test('half of the pair of internal keys is never made up', () => {
  makeSecrets(folder);
  rmSync(join(folder, 'INTERNAL_TOKEN_PUBLIC_KEYS'));
  expect(() => makeSecrets(folder)).toThrow('INTERNAL_TOKEN_PUBLIC_KEYS');
});
