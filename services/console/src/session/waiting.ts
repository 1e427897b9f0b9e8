import { externalValue } from '../settings/external-value.ts';

/** Until when the server asked to wait, in ms; 0: not at all. */
export const waiting = externalValue(0);

export function waitUntil(at: number): void {
  waiting.set(Math.max(waiting.get(), at));
}
