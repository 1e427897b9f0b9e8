import packaged from '@jest/test-sequencer';

/** Its types are those of its CommonJS form, whose class is a property; Node.js and Jest give the class itself. */
const TestSequencer = packaged as unknown as typeof packaged.default;
type Tests = Parameters<packaged.default['sort']>[0];

/** The kinds of tests, those with the longest files first. */
const kinds = ['faults', 'slow', 'browser', 'e2e', 'int', 'unit'];

/**
 * Jest runs the longest files first, which it knows from earlier runs. A clean clone has none, and Jest goes by the size of files: one of
 * the smallest, which starts the platform twice over and is the longest of all, would run last and alone.
 */
export default class LongOnesFirst extends TestSequencer {
  override sort(tests: Tests): Tests {
    const sorted = super.sort(tests) as Tests;
    if (tests.some(({ duration }) => duration !== undefined)) return sorted;
    const rank = ({ context }: Tests[number]) => kinds.indexOf(context.config.displayName?.name ?? '');
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
