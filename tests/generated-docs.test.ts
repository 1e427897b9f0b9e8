import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { generateDocs } from '../tools/generate-docs/index.ts';

const root = join(__dirname, '..');
const committed = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');
let pages: Map<string, string>;
beforeAll(async () => {
  pages = await generateDocs(root);
});

test('no page in docs/ differs from what the code says: run `npm run docs`', () => {
  expect(Object.fromEntries([...pages.keys()].map((path) => [path, committed(path)]))).toEqual(
    Object.fromEntries(pages),
  );
});

test('the AsyncAPI document names nothing that is not in it', () => {
  const document = parse(pages.get('docs/asyncapi.yaml') ?? '') as Record<string, unknown>;
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  const unresolved = references.filter(
    (path) =>
      path.split('/').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)?.[key], document) ===
      undefined,
  );
  expect(references.length).toBeGreaterThan(30);
  expect(unresolved).toEqual([]);
});
