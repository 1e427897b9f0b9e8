import type { TracingOptions } from './sdk.ts';

export type { TracingOptions } from './sdk.ts';

/**
 * From now on the spans of this process are sent to a collector, in the background and in bounded memory: a collector that is away
 * costs spans, nothing else. Only this loads the SDK.
 * @returns sends what is left, for 5 s at most
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { registerSdk } = await import('./sdk.ts');
  return registerSdk(options);
}
