import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutput } from '../output.ts';

const folder = mkdtempSync(join(tmpdir(), 'output-'));
const file = join(folder, 'log');
afterEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const deed = '10:00:01.000 info login accepted {"userId":"1","requestId":"2"}';
const warning = '10:00:02.000 warn request could not be served {"status":503}';
const routine = [
  '10:00:00.000 info request {"requestId":"1","method":"GET"}',
  '{"level":"info","message":"request","requestId":"1","method":"GET"}',
  '10:00:03.000 info delivery attempt failed {"messageId":"1","requestId":"2"}',
  '10:00:04.000 info ready {"port":4000}',
];
const all = [deed, warning, ...routine];

function shown(isTTY: boolean, verbose: boolean): string {
  let text = '';
  const stream = { isTTY, on: () => stream, write: (line: string) => (text += line) };
  const output = createOutput(['gateway'], { stream: stream as never, file, verbose });
  for (const line of all) output.line('gateway', line);
  return text;
}

const linesIn = (text: string) => all.filter((line) => text.includes(line));

test.each([
  ['a terminal shows what a person did and warnings, its file the rest too', true, false, [deed, warning]],
  ['with --verbose a terminal shows every line', true, true, all],
])('%s', (_, isTTY, verbose, lines) => {
  expect(linesIn(shown(isTTY, verbose))).toEqual(lines);
  expect(linesIn(readFileSync(file, 'utf8'))).toEqual(all);
});

test('what is not a terminal gets every line, and there is no file', () => {
  expect(linesIn(shown(false, false))).toEqual(all);
  expect(() => readFileSync(file)).toThrow('ENOENT');
});
