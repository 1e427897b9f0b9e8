type Hour = { succeeded: number; failed: number; exhausted: number };

/** Whether in the last hour with any attempt all of them failed. The hours are in order of time. */
export function nothingArrives(hours: readonly Hour[]): boolean {
  const last = hours.findLast(({ succeeded, failed, exhausted }) => succeeded + failed + exhausted > 0);
  return last?.succeeded === 0;
}
