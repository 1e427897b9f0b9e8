import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** A program of verbs as it is run by hand. */
function run(program: string, args: string[]) {
  const path = join(__dirname, '../../../..', program);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const verbs = expect.stringMatching(/^Usage: npm run ops -- <verb>.*\n {2}migrate +\S.*\n {2}restored +\S/s);
const nothing = '';

test.each([
  [[], { status: 0, stdout: verbs, stderr: nothing }],
  [['--help'], { status: 0, stdout: verbs, stderr: nothing }],
  [['migrate', '--help'], { status: 0, stdout: expect.stringContaining('--drop-index'), stderr: nothing }],
  [['migrates'], { status: 2, stdout: nothing, stderr: expect.stringContaining("no verb 'migrates'.\n\nUsage: ") }],
  [['constructor'], { status: 2, stdout: nothing, stderr: expect.stringContaining("no verb 'constructor'") }],
  [
    ['migrate', '--fresh'],
    { status: 2, stdout: nothing, stderr: expect.stringContaining("'--fresh'.\n\nUsage: npm run ops -- migrate") },
  ],
])('npm run ops -- %j', (args, expected) => {
  expect(run('tools/ops/main.ts', args)).toEqual(expected);
});

test('a program may have a verb that runs without being named', () => {
  expect(run('tools/demo/main.ts', ['--help']).stdout).toContain('Without a verb it is flow.');
});
