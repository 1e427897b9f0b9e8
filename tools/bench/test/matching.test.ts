import { evaluate, figuresOf, matchingAims } from '../matching/evaluation.ts';

test('matching is precise if it decides, helpful if it does not', () => {
  // Another seed than those of the bench.
  const { precision, automaticShare, inTopFive } = figuresOf(evaluate(20_261));
  expect(precision).toBeGreaterThanOrEqual(matchingAims.precision);
  expect(automaticShare).toBeGreaterThanOrEqual(matchingAims.automaticShare);
  expect(inTopFive).toBeGreaterThanOrEqual(matchingAims.inTopFive);
});

test('the same seed makes the same dataset and the same decisions', () => {
  const decisions = () =>
    evaluate(7, { tickets: 150, invoices: 150 }).map(({ generated, decision }) => ({ generated, decision }));
  expect(decisions()).toEqual(decisions());
});
