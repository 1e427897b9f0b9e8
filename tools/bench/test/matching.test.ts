import { figuresOf, matchingAims, runTrial } from '../matching-trial.ts';

/** Other worlds than those that the bench prints. */
test.each([20_261, 31_337, 424_242])('world %i: sure where it decides, helpful where it does not', (seed) => {
  const { precision, share, inFive } = figuresOf(runTrial(seed));
  expect(precision).toBeGreaterThanOrEqual(matchingAims.precision);
  expect(share).toBeGreaterThanOrEqual(matchingAims.share);
  expect(inFive).toBeGreaterThanOrEqual(matchingAims.inFive);
});

test('the same seed makes the same world and the same decisions', () => {
  const decisions = () =>
    runTrial(7, { tickets: 150, invoices: 150 }).map(({ drawn, decision }) => ({ drawn, decision }));
  expect(decisions()).toEqual(decisions());
});
