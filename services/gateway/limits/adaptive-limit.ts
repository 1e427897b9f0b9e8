export type AdaptiveLimit = ReturnType<typeof createAdaptiveLimit>;

type Options = {
  /** The limit while the service is fast. */
  max: number;
  /** The limit is never lower: a few slow requests are no overload. */
  min?: number;
  /** What most requests may take before the limit falls, 300 ms. */
  targetMs?: number;
  /** Called with the first limit, and whenever the limit changes. */
  onChange?: (limit: number) => void;
  /** In ms, from any origin. */
  now?: () => number;
};

/** Long enough to measure throughput, short enough to follow a burst. */
const windowMs = 100;

/**
 * Bounds the concurrent requests to a service by its throughput: by Little's law a request waits
 * for (concurrent requests) ÷ (requests answered per second). While most are answered within
 * `targetMs`, the limit grows to `max`; once they are not, it falls to as many as the service
 * answers in `targetMs`. Requests beyond the limit are refused at once, instead of waiting in a
 * queue until they time out. A caller below an equal share of the limit is admitted even then: a
 * caller that sends ten times as many requests as others is refused, the others are not.
 */
export function createAdaptiveLimit(options: Options) {
  const { max, targetMs = 300, onChange, now = () => performance.now() } = options;
  const min = Math.min(max, options.min ?? 100);
  const perCaller = new Map<string, number>();
  let limit = max;
  let inFlight = 0;
  let window = { startedAt: now(), answered: 0, slow: 0, peak: 0 };
  onChange?.(limit);

  function roll(): void {
    const at = now();
    const elapsed = at - window.startedAt;
    // If nothing was answered, the service is slow, once that has lasted for `targetMs`.
    if (elapsed < (window.answered === 0 ? targetMs : windowMs)) return;
    const isSlow = window.answered === 0 ? inFlight > 0 : window.slow * 2 > window.answered;
    const wanted = (window.answered / elapsed) * targetMs;
    const before = limit;
    // At most halved or doubled at a time: a single window may mislead.
    if (isSlow) limit = Math.max(min, limit / 2, Math.min(limit, wanted));
    else if (window.peak * 2 > limit) limit = Math.min(max, limit * 2, Math.max(limit, wanted));
    if (limit !== before) onChange?.(limit);
    window = { startedAt: at, answered: 0, slow: 0, peak: inFlight };
  }

  function release(caller: string, latencyMs: number): void {
    inFlight -= 1;
    const own = (perCaller.get(caller) ?? 0) - 1;
    if (own > 0) perCaller.set(caller, own);
    else perCaller.delete(caller);
    window.answered += 1;
    if (latencyMs > targetMs) window.slow += 1;
    roll();
  }

  return {
    /**
     * The function to call once the service has begun to answer, or will not; calls after the first
     * do nothing. Null if the service is busy and the caller has its share already.
     */
    tryAcquire(caller: string): (() => void) | null {
      roll();
      const own = perCaller.get(caller) ?? 0;
      const share = limit / (perCaller.size + (own === 0 ? 1 : 0));
      if (inFlight >= limit && own + 1 > share) return null;
      inFlight += 1;
      perCaller.set(caller, own + 1);
      window.peak = Math.max(window.peak, inFlight);
      const startedAt = now();
      let isAcquired = true;
      return () => {
        if (isAcquired) release(caller, now() - startedAt);
        isAcquired = false;
      };
    },
  };
}
