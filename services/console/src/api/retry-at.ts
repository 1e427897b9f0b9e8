import { externalValue } from '../settings/external-value.ts';

/** When the server takes requests again after a 429, in ms since 1970; 0: it does now. */
export const retryAt = externalValue(0);

export function setRetryAt(at: number): void {
  retryAt.set(Math.max(retryAt.get(), at));
}
