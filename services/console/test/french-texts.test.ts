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
