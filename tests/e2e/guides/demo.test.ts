import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = join(__dirname, '../../../tools/demo/main.ts');

// It finds the platform by STACK_DIR, and checks each step itself.
test.each([
  ['npm run demo', []],
  ['npm run demo -- approved-platform', ['approved-platform']],
])('`%s` goes through all of its flow', async (_command, args) => {
  const options = { maxBuffer: 32 * 1024 * 1024 };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args], options);
  expect([stderr, stdout.trim().split('\n').at(-1)]).toEqual(['', 'Everything is as it should be.']);
});
