import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licences that let us sell what contains the package, without giving our sources away. */
const permissive = [
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
];

/** MIT too, but said in an old form that the lock file does not repeat. */
const mitInOldForm = ['busboy', 'streamsearch'];

type Entry = { license?: string; dev?: boolean; link?: boolean; optional?: boolean };
const lock = JSON.parse(readFileSync(join(__dirname, '../package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>;
};

/** Licences by package, of what is installed in production. */
const used = Object.entries(lock.packages)
  .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
  .map(([path, { license }]) => [path.split('node_modules/').at(-1) as string, license ?? 'none'] as const);

/** Of an expression such as `(MIT OR GPL-2.0)` one suffices; of one with AND, all are needed. */
const allows = (expression: string) =>
  expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => permissive.includes(licence.trim())));

test('every package that runs in production has a permissive licence', () => {
  expect(used.length).toBeGreaterThan(100);
  expect(used.filter(([, licence]) => !allows(licence)).map(([name]) => name)).toEqual(mitInOldForm);
});
