import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const contracts = join(__dirname, '../libs/contracts');
const lockFile = 'libs/contracts/fixtures.lock.json';
const locked = JSON.parse(readFileSync(join(contracts, 'fixtures.lock.json'), 'utf8')) as Record<string, string>;
const files = readdirSync(join(contracts, 'fixtures'));
const hashOf = (file: string) =>
  createHash('sha256')
    .update(readFileSync(join(contracts, 'fixtures', file)))
    .digest('hex');

/** What is wrong with a fixture and how to fix it; null if nothing is. */
function faultOf(file: string, hash: string | null, known: string | undefined): string | null {
  if (hash === null) return `${file} is gone. Consumers still get such messages: put it back.`;
  if (known === undefined) return `${file} is new. Freeze it: add "${file}": "${hash}" to ${lockFile}.`;
  if (known === hash) return null;
  return `${file} was changed. It is frozen, messages like it are out there: put it back, and add a new version of the type beside it.`;
}

test.each([...new Set([...files, ...Object.keys(locked)])])('%s is frozen', (file) => {
  expect(faultOf(file, files.includes(file) ? hashOf(file) : null, locked[file])).toBeNull();
});
