import packaged from '@jest/test-sequencer';

/** Its types are those of its CommonJS form, whose class is a property; Node.js and Jest give the class itself. */
const TestSequencer = packaged as unknown as typeof packaged.default;
type Tests = Parameters<packaged.default['sort']>[0];

/** The kinds of tests, those with the longest files first. */
const kinds = ['faults', 'slow', 'browser', 'e2e', 'int', 'unit'];

/**
 * Jest runs the longest files first, as far as it knows them from earlier runs, else the largest. The file that starts the platform twice
 * over is one of the smallest and takes longest: it would run last and alone. So the kind decides first.
 */
export default class LongOnesFirst extends TestSequencer {
  override sort(tests: Tests): Tests {
    const rank = ({ context }: Tests[number]) => kinds.indexOf(context.config.displayName?.name ?? '');
    return (super.sort(tests) as Tests).sort((a, b) => rank(a) - rank(b));
  }
}
