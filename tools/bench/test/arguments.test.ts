import { parseArguments, UsageError } from '../harness/arguments.ts';

const known = ['tickets', 'growth'];

test('without arguments, every suite is run against a platform of its own', () => {
  expect(parseArguments([], known)).toEqual({
    suites: [],
    million: 1_000_000,
    rounds: 5,
    roundMs: 2000,
  });
});

test('suites are picked by name, and what is slow can be made quicker', () => {
  const given = parseArguments(['growth', '--million', '200000', '--seconds', '0.5', '--rounds', '3'], known);
  expect(given).toMatchObject({ suites: ['growth'], million: 200_000, roundMs: 500, rounds: 3 });
});

test.each([
  ['a suite that is not there', ['speed'], 'tickets, growth'],
  ['an option that is not there', ['--fast'], '--fast'],
  ['a number that is none', ['--million', 'many'], '--million'],
  ['too few tickets to compare', ['--million', '1000'], '--million'],
  ['an empty number', ['--rounds', ''], '--rounds'],
])('%s is refused', (_name, args, said) => {
  expect(() => parseArguments(args, known)).toThrow(UsageError);
  expect(() => parseArguments(args, known)).toThrow(said);
});
