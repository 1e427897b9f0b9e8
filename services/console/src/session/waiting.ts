import { externalValue } from '../settings/external-value.ts';

/** Until when the server asked us to wait, in ms since 1970; 0: no wait. */
export const waiting = externalValue(0);

export function waitUntil(at: number): void {
  waiting.set(Math.max(waiting.get(), at));
}
