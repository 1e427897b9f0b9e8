import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformQueues, type QueueTable } from '@app/contracts';
import { parse } from 'yaml';
import { describeServices } from '../tools/generate-docs/describe-services.ts';
import { generateDocs } from '../tools/generate-docs/index.ts';
import { serviceTable } from '../tools/start/service-table.ts';

const root = join(__dirname, '..');
const committed = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');
let pages: Map<string, string>;
beforeAll(async () => {
  pages = await generateDocs(root);
});

test('no page in docs/ differs from the code: run `npm run docs`', () => {
  expect(Object.fromEntries([...pages.keys()].map((path) => [path, committed(path)]))).toEqual(
    Object.fromEntries(pages),
  );
});

test('every error code that a route names has an entry', async () => {
  const routes = (await describeServices(root))
    .flatMap(({ routes }) => routes)
    .filter(({ host }) => host !== 'internal');
  const codes = new Set(routes.flatMap(({ errors = [] }) => errors.map((line) => line.split(' ')[1] as string)));
  const entries = [...(pages.get('docs/errors.md') ?? '').matchAll(/^## (\w+)\n\n[^\n]+\n\nStatus \d/gm)].map(
    ([, code]) => code,
  );
  expect(codes.size).toBeGreaterThan(60);
  expect([...codes].filter((code) => !entries.includes(code))).toEqual([]);
});

test('every reference in the AsyncAPI document resolves', () => {
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

test('every service subscribes to the queues of the platform that are its own, and to nothing else', async () => {
  const typesOf = (types: readonly (string | { type: string })[]) =>
    types.map((type) => (typeof type === 'string' ? type : type.type)).sort();
  const subscribed = (await describeServices(root)).flatMap(({ name, consumes }) =>
    consumes.map(({ queue, types }) => [`${name}.${queue}`, typesOf(types)]),
  );
  const listed = Object.entries(platformQueues as QueueTable).flatMap(([name, queues]) =>
    Object.entries(queues).map(([queue, types]) => [`${name}.${queue}`, typesOf(types)]),
  );
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(subscribed));
  // `npm start -- --fresh` deletes these.
  const started = serviceTable.flatMap(({ name, queues }) => queues.map((queue) => `${name}.${queue}`));
  expect(started.sort()).toEqual(listed.map(([name]) => name).sort());
});
