import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { installedPackages, productionPackages } from '../production-packages.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'image-')));
  add('services/ticket', { dependencies: { '@app/http': '1', joi: '1' }, devDependencies: { '@app/testing': '1' } });
  add('libs/http', { dependencies: { express: '1' }, devDependencies: { '@app/testing': '1' } });
  add('tests/testing', { dependencies: { jest: '1' } });
  for (const name of ['http', 'testing']) link(`libs/${name}`, `node_modules/@app/${name}`);
  add('node_modules/joi', { optionalDependencies: { 'joi-linux': '1', 'joi-windows': '1' } });
  add('node_modules/joi-linux', {});
  add('node_modules/express', { dependencies: { debug: '1' }, peerDependencies: { bson: '1' } });
  add('node_modules/express/node_modules/debug', {});
  add('node_modules/debug', {});
  add('node_modules/bson', {});
  add('node_modules/jest', {});
});
afterEach(() => rmSync(root, { recursive: true }));

function add(path: string, manifest: object): void {
  mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, path, 'package.json'), JSON.stringify(manifest));
}

function link(target: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(join(root, target), join(root, path));
}

const needed = (...workspaces: string[]) =>
  [...productionPackages(root, workspaces)].map((path) => relative(root, path)).sort();

test('what a service needs in production is found across workspaces; what tests need is not', () => {
  expect(needed('services/ticket')).toEqual([
    'libs/http',
    'node_modules/bson',
    'node_modules/express',
    'node_modules/express/node_modules/debug',
    'node_modules/joi',
    'node_modules/joi-linux',
    'services/ticket',
  ]);
});

test('a package that is missing is named', () => {
  rmSync(join(root, 'node_modules/express'), { recursive: true });
  expect(() => needed('services/ticket')).toThrow('express, which is not installed');
});

test('everything that is installed is seen, links as they are', () => {
  const paths = installedPackages(join(root, 'node_modules')).map((path) => relative(root, path));
  expect(paths.sort()).toEqual([
    'node_modules/@app/http',
    'node_modules/@app/testing',
    'node_modules/bson',
    'node_modules/debug',
    'node_modules/express',
    'node_modules/express/node_modules/debug',
    'node_modules/jest',
    'node_modules/joi',
    'node_modules/joi-linux',
  ]);
});
