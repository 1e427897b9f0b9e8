import type { MatchSettings } from './matching.ts';

/** Stored with every decision: one more with each change of points, bounds or forms of references. */
export const scoreVersion = 3;

/** Spec: domain.md section 6.2. Amounts in `currency`. */
export const defaultSettings: MatchSettings = {
  autoScore: 80,
  autoMargin: 15,
  suggestScore: 30,
  suggestions: 5,
  toleranceAmount: 5,
  tolerancePart: 0.02,
  currency: 'EUR',
};
