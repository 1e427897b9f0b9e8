/** Which endpoints are quick at this moment, and who waits for one of them. */
export type Pace = {
  /** An attempt of this endpoint has ended. */
  ended(endpointId: string): void;
  /** A place of this endpoint may be free: whoever has waited longest for it looks again. */
  freed(endpointId: string): void;
  /** The endpoint was disabled or deleted: nobody waits for it any more. */
  forget(endpointId: string): void;
  /**
   * Resolves to true once `take` gives true, to false where the endpoint is not quick (any more) or `isBehind`, enough wait
   * already, the time is up or all is over: then nobody should wait for it.
   */
  place(endpointId: string, take: () => boolean, isBehind?: () => boolean): Promise<boolean>;
  stop(): void;
};

type Look = (again: boolean) => void;

/** An endpoint whose last attempt ended that recently is quick: the next place is a matter of milliseconds. */
const quickMs = 250;
/** How long to wait for a quick endpoint at most: its event stays with the broker meanwhile. */
const patienceMs = 1_000;
const lookedAfterMs = 50;
/**
 * So many wait for one endpoint, with as many of the 256 events that are handled at once: the rest are for others. Fewer would
 * have a flood for an endpoint that keeps up stored and claimed, as places are freed some ms after events are acknowledged.
 */
const mostWaiting = 128;
const remembered = 10_000;

/**
 * New deliveries of a quick endpoint wait for a place in memory, and their events with the broker: it costs one write for
 * each, where storing them first and claiming them again costs three. Those of an endpoint that does not answer, or that
 * has more than it can take, never wait: they are stored, so that nobody waits behind them.
 */
export function createPace(now: () => number = () => performance.now()): Pace {
  const lastEnded = new Map<string, number>();
  const waiting = new Map<string, Set<Look>>();
  let stopped = false;

  function isQuick(endpointId: string): boolean {
    return !stopped && now() - (lastEnded.get(endpointId) ?? Number.NEGATIVE_INFINITY) < quickMs;
  }

  function isWorthIt(endpointId: string): boolean {
    return isQuick(endpointId) && (waiting.get(endpointId)?.size ?? 0) < mostWaiting;
  }

  /** Until a place may be free, or for a moment: true. False: it is not worth to look again. */
  function turn(endpointId: string): Promise<boolean> {
    return new Promise((go) => {
      const lane = waiting.get(endpointId) ?? new Set();
      waiting.set(endpointId, lane);
      const look: Look = (again) => {
        clearTimeout(timer);
        lane.delete(look);
        if (lane.size === 0) waiting.delete(endpointId);
        go(again);
      };
      const timer = setTimeout(look, lookedAfterMs, true);
      lane.add(look);
    });
  }

  function forget(endpointId: string): void {
    lastEnded.delete(endpointId);
    for (const look of [...(waiting.get(endpointId) ?? [])]) look(false);
  }

  return {
    ended(endpointId) {
      lastEnded.delete(endpointId);
      lastEnded.set(endpointId, now());
      if (lastEnded.size > remembered) lastEnded.delete(lastEnded.keys().next().value as string);
    },
    freed(endpointId) {
      const [first] = waiting.get(endpointId) ?? [];
      first?.(true);
    },
    forget,
    async place(endpointId, take, isBehind = () => false) {
      for (const until = now() + patienceMs; !take(); ) {
        if (isBehind() || !isWorthIt(endpointId) || now() > until) return false;
        if (!(await turn(endpointId))) return false;
      }
      return true;
    },
    stop() {
      stopped = true;
      for (const endpointId of [...waiting.keys()]) forget(endpointId);
    },
  };
}
