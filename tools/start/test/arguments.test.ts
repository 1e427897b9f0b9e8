import { parseArguments, UsageError } from '../arguments.ts';

test.each([
  [[], { fresh: false, demo: true, portBase: 4000 }],
  [['--fresh', '--no-demo'], { fresh: true, demo: false, portBase: 4000 }],
  [['--port-base', '5000'], { fresh: false, demo: true, portBase: 5000 }],
  [['--port-base=65482'], { fresh: false, demo: true, portBase: 65_482 }],
  [['--help', '--fresh'], null],
])('%j is understood', (args, meaning) => expect(parseArguments(args)).toEqual(meaning));

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
