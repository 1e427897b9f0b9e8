import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newDataFolder } from './data-folder.ts';

const memory = '/dev/shm';
const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

async function folderFor(room: number): Promise<string> {
  const folder = await newDataFolder(memory, room);
  made.push(folder);
  return folder;
}

test('data of a test run is in memory if there is space, else in temporary files', async () => {
  expect(dirname(await folderFor(1))).toBe(existsSync(memory) ? memory : tmpdir());
  expect(dirname(await folderFor(Number.MAX_SAFE_INTEGER))).toBe(tmpdir());
});

test('data of a killed run is removed by the next one, that of a running one is not', async () => {
  const used = await folderFor(1);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const left = join(dirname(used), `platform-tests-${pid}-left`);
  mkdirSync(left);
  await folderFor(1);
  expect([existsSync(left), existsSync(used)]).toEqual([false, true]);
});
