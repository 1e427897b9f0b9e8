type Health = { active: boolean; health: string };
type Hour = { succeeded: number; failed: number; exhausted: number };

/** Whether in the last hour with any attempt all of them failed. The hours are in order of time. */
export function nothingArrives(hours: readonly Hour[]): boolean {
  const last = hours.findLast(({ succeeded, failed, exhausted }) => succeeded + failed + exhausted > 0);
  return last?.succeeded === 0;
}

/** Whether nothing arrives at an endpoint that is not paused: it is disabled or called failing, or all recent attempts failed. */
export function isFailing({ active, health }: Health, hours: readonly Hour[]): boolean {
  return health === 'disabled' || (active && (health !== 'ok' || nothingArrives(hours)));
}
