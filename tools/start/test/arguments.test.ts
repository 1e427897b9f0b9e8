import { parseArguments } from '../arguments.ts';
import { UsageError } from '../infra/index.ts';

test.each([
  [[], {}],
  [['--fresh', '--no-demo'], { fresh: true, demo: false }],
  [['--no-demo-week'], { demoWeek: false }],
  [['--fresh', '--demo-year'], { fresh: true, demoYear: true }],
  [['--no-install'], { isOffline: true }],
  [['--verbose'], { verbose: true }],
  [['--port-base', '5000'], { portBase: 5000 }],
  [['--port-base=65482'], { portBase: 65_482 }],
])('%j is understood', (args, meaning) =>
  expect(parseArguments(args)).toEqual({
    fresh: false,
    demo: true,
    demoWeek: true,
    demoYear: false,
    isOffline: false,
    portBase: 4000,
    verbose: false,
    ...meaning,
  }),
);

test('--help is shown whatever else is said', () => expect(parseArguments(['--help', '--fresh'])).toBeNull());

test.each([
  [['--fersh'], "Unknown option '--fersh'"],
  [['fresh'], "Unexpected argument 'fresh'"],
  [['--port-base'], 'argument missing'],
  [['--port-base', '80'], '1024'],
  [['--port-base', '65483'], '65482'],
  [['--port-base', '5e3'], "not '5e3'"],
])('%j is refused, saying what is meant', (args, reason) => {
  expect(() => parseArguments(args)).toThrow(UsageError);
  expect(() => parseArguments(args)).toThrow(reason);
});
