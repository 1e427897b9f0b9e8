import { setTimeout as delay } from 'node:timers/promises';
import { type Findings, hasNoFindings, noFindings } from './verification/comparisons.ts';

/** Asks until the check holds; one that fails does not hold yet. @throws Error with `otherwise` if that takes longer */
export async function until(check: () => Promise<boolean>, withinMs: number, otherwise: string): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    let cause: unknown;
    const holds = await check().catch((error: unknown) => {
      cause = error;
    });
    if (holds) return;
    if (Date.now() > deadline) throw new Error(otherwise, { cause });
    await delay(500);
  }
}

/** Reads again until that is enough, or the time is over; @returns what was read last. */
export async function poll<T>(read: () => Promise<T>, isEnough: (found: T) => boolean, withinMs: number): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await read();
    if (isEnough(found) || Date.now() > deadline) return found;
    await delay(3_000);
  }
}

/** Compares again until there are no findings, or the time is over; @returns the last findings. */
export function pollFindings(compare: () => Promise<Findings>, withinMs: number): Promise<Findings> {
  const unreadable = (error: unknown): Findings => ({ ...noFindings(), leftOver: [`cannot be read: ${error}`] });
  return poll(() => compare().catch(unreadable), hasNoFindings, withinMs);
}
