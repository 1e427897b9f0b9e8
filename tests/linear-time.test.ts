import { join } from 'node:path';
import { worseThanLinear } from './linear-time/growth.ts';
import { type Shape, shapes, shapesFor } from './linear-time/hostile-texts.ts';
import { parsers, tolerant } from './linear-time/parsers.ts';
import { patternsIn } from './linear-time/patterns.ts';

/**
 * One company's texts must not delay others: reading input from outside takes time at most proportional to its length. The
 * growth is measured, not seconds; in production, texts are truncated first.
 */
const { patterns, made } = patternsIn(join(__dirname, '..'), ['libs', 'services']);

function firstSlow(of: Shape[], run: (text: string) => () => unknown): string | null {
  for (const { name, make } of of) {
    const growth = worseThanLinear((length) => run(make(length)));
    if (growth !== null) return `${name}: ${growth}`;
  }
  return null;
}

test.each(patterns.map(({ file, pattern }) => [String(pattern), file, pattern] as const))(
  'the pattern %s of %s is linear in the text',
  (_source, _file, pattern) => {
    expect(firstSlow(shapesFor(pattern), (text) => () => text.replace(pattern, ''))).toBeNull();
  },
);

test('patterns that are made at run time are few, and in files whose parsers are tested below', () => {
  expect(made.sort()).toEqual([
    'libs/matching/references/references.ts',
    // Built from the maximum number of digits.
    'libs/providers/parsing/fields.ts',
    // Built from the name of a setting.
    'libs/providers/registry.ts',
    // Built from what matching read, and run only in browsers. The gaps between its letters have at most three
    // characters.
    'services/console/src/pages/invoices/rules/marks.ts',
    'services/gateway/routing/routes.ts',
    // Built from the id of a user.
    'services/webhook-dispatcher/erasure/message-author.ts',
  ]);
});

test.each(Object.keys(parsers))('%s is linear in the text', (name) => {
  const parse = parsers[name] as (typeof parsers)[string];
  expect(firstSlow(shapes, (text) => tolerant(parse, text))).toBeNull();
});

test.each<[string, RegExp, number]>([
  ['a run that may begin anywhere', /0+$/, 1],
  ['a run within a run', /0*(\d{3,})[^A-Z0-9]*$/, 1 / 16],
])('the measure finds %s', (_what, pattern, part) => {
  const make = (length: number) => `${'0'.repeat(length * part)}A`;
  expect(firstSlow([{ name: 'zeros', make }], (text) => () => text.replace(pattern, ''))).toMatch(/characters cost/);
});
