import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = join(__dirname, '../../../tools/demo/main.ts');

// It finds the platform by STACK_DIR, and checks each step itself.
test('`npm run demo` goes through all of its flow', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { maxBuffer: 32 * 1024 * 1024 });
  expect([stderr, stdout.trim().split('\n').at(-1)]).toEqual(['', 'Everything is as it should be.']);
});
