import { evaluate, figuresOf, matchingAims } from '../matching/evaluation.ts';

/** Other seeds than those of the bench. */
test.each([20_261, 31_337, 424_242])('dataset %i: precise if it decides, helpful if it does not', (seed) => {
  const { precision, automaticShare, inTopFive } = figuresOf(evaluate(seed));
  expect(precision).toBeGreaterThanOrEqual(matchingAims.precision);
  expect(automaticShare).toBeGreaterThanOrEqual(matchingAims.automaticShare);
  expect(inTopFive).toBeGreaterThanOrEqual(matchingAims.inTopFive);
});

test('the same seed makes the same dataset and the same decisions', () => {
  const decisions = () =>
    evaluate(7, { tickets: 150, invoices: 150 }).map(({ generated, decision }) => ({ generated, decision }));
  expect(decisions()).toEqual(decisions());
});
