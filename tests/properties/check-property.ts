import fc from 'fast-check';

const seed = () => Number(process.env['PROPERTY_SEED'] ?? 20261122);

/**
 * Checks a property for `numRuns` generated inputs; a counterexample is printed at its smallest.
 * The seed is fixed, so that a run on an unchanged tree never fails by chance. `PROPERTY_SEED=…`
 * tries other inputs.
 */
export function checkProperty<T>(property: fc.IPropertyWithHooks<T>, numRuns = 300): void {
  fc.assert(property, { seed: seed(), numRuns });
}

/** The same for a property that awaits. */
export function checkAsyncProperty<T>(property: fc.IAsyncPropertyWithHooks<T>, numRuns = 300): Promise<void> {
  return fc.assert(property, { seed: seed(), numRuns });
}
