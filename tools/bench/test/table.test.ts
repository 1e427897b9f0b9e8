import { againstAim, figure, table, text } from '../harness/table.ts';

test('columns are as wide as what stands in them: text to the left, figures to the right', () => {
  const lines = table(
    'Reads',
    [text('asked of'), figure('a second')],
    [
      ['gateway', '12'],
      ['bare', '1,200'],
    ],
  ).split('\n');
  expect(lines.filter((line) => !/^─*$/.test(line))).toEqual([
    'Reads',
    'asked of  a second',
    'gateway         12',
    'bare         1,200',
  ]);
});

test.each([
  [0.4, { least: 0.4 }, '≥ 0.40 met'],
  [0.39, { least: 0.4 }, '≥ 0.40 MISSED'],
  [1.5, { most: 1.5 }, '≤ 1.50 met'],
  [1.51, { most: 1.5 }, '≤ 1.50 MISSED'],
])('%d against %j is said as %s', (value, aim, said) => {
  expect(againstAim(value, aim)).toBe(said);
});
