export const idlePollMs = 30_000;
export const slowPollMs = 5_000;
const fastPollMs = 1_000;
/** Most attempts have ended by then. */
const attemptMs = 10_000;

type Due = { status: string; createdAt: string; nextAttemptAt: string | null };

export const isUnderway = ({ status }: Pick<Due, 'status'>) => status === 'pending';

/** When a delivery is read again: each second while its attempt is expected to end, and slowly if that takes long. */
export function pollIntervalMs({ nextAttemptAt, createdAt, ...delivery }: Due, nowMs: number): number {
  if (!isUnderway(delivery)) return idlePollMs;
  // The distance: a browser's clock may be behind, and would then never slow down.
  const distanceMs = Math.abs(nowMs - Date.parse(nextAttemptAt ?? createdAt));
  return distanceMs < attemptMs ? fastPollMs : slowPollMs;
}
