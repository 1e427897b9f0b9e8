import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutput } from '../output.ts';

const folder = mkdtempSync(join(tmpdir(), 'output-'));
const file = join(folder, 'log');
afterEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const request = '10:00:00.000 info request {"method":"GET"}';
const inProduction = '{"level":"info","message":"request","method":"GET"}';
const deed = '10:00:01.000 info login accepted {"userId":"1"}';
const warning = '10:00:02.000 warn request could not be served {"status":503}';

function shown(isTTY: boolean, verbose: boolean): string {
  let text = '';
  const stream = { isTTY, on: () => stream, write: (line: string) => (text += line) };
  const output = createOutput(['gateway'], { stream: stream as never, file, verbose });
  for (const line of [request, inProduction, deed, warning]) output.line('gateway', line);
  return text;
}

const linesIn = (text: string) => [request, inProduction, deed, warning].filter((line) => text.includes(line));

test.each([
  ['a terminal shows what a person did and warnings, its file the requests too', true, false, [deed, warning]],
  ['with --verbose a terminal shows requests', true, true, [request, inProduction, deed, warning]],
])('%s', (_, isTTY, verbose, lines) => {
  expect(linesIn(shown(isTTY, verbose))).toEqual(lines);
  expect(linesIn(readFileSync(file, 'utf8'))).toEqual([request, inProduction, deed, warning]);
});

test('what is not a terminal gets every line, and there is no file', () => {
  expect(linesIn(shown(false, false))).toEqual([request, inProduction, deed, warning]);
  expect(() => readFileSync(file)).toThrow('ENOENT');
});
