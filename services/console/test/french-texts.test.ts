import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

const source = join(__dirname, '../src');

/** Literals and the parts of templates of a file, as they are shown. */
function textsOf(file: string): string[] {
  const texts: string[] = [];
  const parsed = parseSync(readFileSync(join(source, file), 'utf8'), { syntax: 'typescript', target: 'es2024' });
  JSON.stringify(parsed, (_key, node) => {
    if (node?.type === 'StringLiteral') texts.push(node.value);
    if (node?.type === 'TemplateElement') texts.push(node.cooked);
    return node;
  });
  return texts;
}

test('French texts have U+202F before ; ? ! and U+00A0 before : and inside « »', () => {
  const texts = globSync('**/*.fr.ts', { cwd: source }).flatMap(textsOf);
  expect(texts.length).toBeGreaterThan(1_000);
  expect(texts.filter((text) => /[ \u00a0][;?!]|[ \u202f][:»]|«[ \u202f]/.test(text))).toEqual([]);
});

/** What the functions among the texts say of a number, by their names: those that take numbers, or numbers as texts. */
function saidOf(texts: object, count: number): Record<string, string> {
  const said = Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text !== 'function') return [];
    return [count, String(count)].map((given, n) => [`${name} ${n}`, shownBy(text, given)]);
  });
  return Object.fromEntries(said);
}

function shownBy(text: (...given: unknown[]) => unknown, given: unknown): string {
  try {
    return String(text(...Array(text.length).fill(given)));
  } catch {
    return 'takes something else';
  }
}

/** They leave 0 out, or take texts alone. */
const withoutZero = ['filters 0', 'didWhat 0'];

test('0 is singular in French, as 1 is', async () => {
  const others: string[] = [];
  for (const file of globSync('**/texts.fr.ts', { cwd: source })) {
    const { fr } = (await import(join(source, file))) as { fr: object };
    const [none, one] = [saidOf(fr, 0), saidOf(fr, 1)];
    const isOther = ([name, text]: [string, string]) => text.replace(/(?<!\d)0(?!\d)/g, '1') !== one[name];
    others.push(...Object.entries(none).flatMap((said) => (isOther(said) ? said[0] : [])));
  }
  expect(others).toEqual(withoutZero);
});
