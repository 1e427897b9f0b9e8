import type { TracingOptions } from './sdk.ts';

export type { TracingOptions } from './sdk.ts';

/**
 * From now on sends the spans of this process to a collector, in the background and in bounded memory: without the
 * collector spans are lost, nothing else. Only this function loads the SDK. @returns a function that sends the
 * remaining spans, for at most 5 s
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { registerSdk } = await import('./sdk.ts');
  return registerSdk(options);
}
