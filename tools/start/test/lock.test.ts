import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '@app/start/infra';
import { AlreadyRunning, acquireLock } from '../stack/lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
const file = join(folder, 'lock');
const gone = JSON.stringify({ pid: process.pid, startedAt: 'before' });
/** Of a launcher that runs. */
const other = JSON.stringify(identify(process.ppid));
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(file, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What another launcher does after this one has read the stale lock, before it moves it away. */
function meanwhile(act: () => void): void {
  const { renameSync } = fs;
  jest.spyOn(fs, 'renameSync').mockImplementationOnce((from, to) => {
    act();
    renameSync(from, to);
  });
}

test('a lock is taken once, and again after its release', () => {
  const lock = acquireLock(folder);
  expect(lock.tookOver).toBe(false);
  expect(() => acquireLock(folder)).toThrow(AlreadyRunning);
  lock.release();
  expect(acquireLock(folder).tookOver).toBe(false);
});

test('the lock of a launcher that is gone is taken over', () => {
  writeFileSync(file, gone);
  expect(acquireLock(folder).tookOver).toBe(true);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(identify(process.pid));
});

test('of two launchers that take over one lock the second leaves the first its own', () => {
  writeFileSync(file, gone);
  meanwhile(() => writeFileSync(file, other));
  expect(() => acquireLock(folder)).toThrow(AlreadyRunning);
  expect(readFileSync(file, 'utf8')).toBe(other);
});

test('a lock that another launcher has moved away is free', () => {
  writeFileSync(file, gone);
  meanwhile(() => rmSync(file));
  expect(acquireLock(folder).tookOver).toBe(true);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(identify(process.pid));
});
