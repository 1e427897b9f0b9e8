import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { normalised, randomName } from './normalised.ts';

/** Asked for under Jest alone: programs that import this are ES modules, which have no `__dirname`. */
const file = () => join(__dirname, '../../../libs/http/openapi/recorded/examples.json');
/** What is larger, or has longer texts, is of tests of limits. */
const maxLength = 6_000;
const longText = /"[^"]{250}/;

type Examples = Record<string, unknown>;
type Context = Parameters<typeof normalised>[1];

let known: Examples | undefined;
const read = (): Examples => JSON.parse(readFileSync(file(), 'utf8')) as Examples;

/**
 * Checks that a request that succeeded, or its response, has an example in the documents. With RECORD_EXAMPLES=1 it makes it
 * one, if it says more than the one that is there. @param name of it among the examples
 * @throws Error if it has none
 */
export function checkExample(name: string, body: unknown, context: Context): void {
  if (!process.env['RECORD_EXAMPLES']) {
    known ??= read();
    if (!(name in known))
      throw new Error(`${name} has no example: docs/contributing/add-a-route.md says how it is recorded`);
    return;
  }
  const examples = read();
  const example = normalised(body, context);
  const text = JSON.stringify(example);
  const fits = text.length <= maxLength && !longText.test(text);
  if (name in examples && !(fits && saysMore(example, examples[name]))) return;
  const all = Object.entries({ ...examples, [name]: example }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file(), `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

/** More values; of as many, the longer texts. Thus the order of the tests does not matter. */
function saysMore(example: unknown, before: unknown): boolean {
  const more = valuesIn(example) - valuesIn(before);
  if (more !== 0) return more > 0;
  const [one, other] = [JSON.stringify(example), JSON.stringify(before)];
  const longer = wordsIn(one) - wordsIn(other);
  return longer === 0 ? one < other : longer > 0;
}

/** Numbers and random names say nothing. */
function wordsIn(text: string): number {
  return text.replaceAll(randomName, '').replaceAll(/\d/g, '').length;
}

function valuesIn(value: unknown): number {
  if (value === null || value === '') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + valuesIn(inner), 0);
}

/** Every value that a document fixes. */
export function fixedIn(document: unknown): Set<string> {
  const fixed = new Set<string>();
  JSON.stringify(document, (key, value) => {
    for (const one of key === 'enum' || key === 'const' ? [value].flat() : [])
      if (typeof one === 'string') fixed.add(one);
    return value;
  });
  return fixed;
}
