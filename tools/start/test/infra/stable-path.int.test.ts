import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stablePath } from '../../infra/rabbit/stable-path.ts';

const folder = mkdtempSync(join(tmpdir(), 'a broker '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a folder is reached by a path without spaces, the same wherever it is moved', () => {
  const [here, there, copy] = ['here it is', 'there it is', 'a copy of it'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(here);
  const path = stablePath(here);
  expect(path).not.toMatch(/\s/);
  expect(realpathSync(path)).toBe(realpathSync(here));
  expect(stablePath(here)).toBe(path);
  renameSync(here, there);
  expect(stablePath(there)).toBe(path);
  expect(realpathSync(path)).toBe(realpathSync(there));
  cpSync(there, copy, { recursive: true });
  expect(() => stablePath(copy)).toThrow('is a copy of that in');
  rmSync(path);
});
