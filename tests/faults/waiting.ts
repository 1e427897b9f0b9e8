import { setTimeout as delay } from 'node:timers/promises';
import { type Findings, hasNoFindings, noFindings } from './verification/comparisons.ts';

/** Asks until the check holds. @throws Error with `otherwise` if that takes longer */
export async function until(check: () => Promise<boolean>, withinMs: number, otherwise: string): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(otherwise);
    await delay(500);
  }
}

/** Compares again until there are no findings, or the time is over; @returns the last findings. */
export async function pollFindings(compare: () => Promise<Findings>, withinMs: number): Promise<Findings> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const findings = await compare().catch((error: unknown) => ({
      ...noFindings(),
      leftOver: [`cannot be read: ${error}`],
    }));
    if (hasNoFindings(findings) || Date.now() > deadline) return findings;
    await delay(3_000);
  }
}
