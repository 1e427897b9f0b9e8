import { setTimeout as pause } from 'node:timers/promises';

const lookEveryMs = 100;

/** Looks again until it holds. @throws Error with what `otherwise` says then, after `withinMs` */
export async function until(holds: () => Promise<boolean>, withinMs: number, otherwise: () => string): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(otherwise());
    await pause(lookEveryMs);
  }
}
