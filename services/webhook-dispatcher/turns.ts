/** What is held in memory, and whose turn it is: fair between endpoints, bounded for each and in all. */
export type Turns<Job> = {
  /**
   * Takes up to `wanted` places for an endpoint's jobs; each must be filled by `put` or freed by `release`.
   * Fewer than `atLeast` are taken only where the endpoint has no other job held.
   */
  reserve(endpointId: string, wanted: number, atLeast?: number): number;
  put(endpointId: string, job: Job): void;
  /** The next job to start, from the endpoint that has waited longest for its turn. */
  next(): { endpointId: string; job: Job } | null;
  /** The job's attempt is over: its endpoint may start another. */
  ended(endpointId: string): void;
  /** The job is forgotten: its place is free. */
  release(endpointId: string): void;
  /** Takes out what has not started, of one endpoint or of all; their places are free. */
  drain(endpointId?: string): Job[];
};

type Lane<Job> = { places: number; inFlight: number; ready: Job[] };

/**
 * @param perEndpoint attempts in flight per endpoint; as many jobs again are held ready, so that a turn never waits
 *   for the database
 * @param inAll attempts in flight in all; an endpoint with none in flight may always start one, up to twice as many,
 *   so that no number of hanging endpoints keeps a healthy one waiting
 */
export function createTurns<Job>({ perEndpoint, inAll }: { perEndpoint: number; inAll: number }): Turns<Job> {
  const lanes = new Map<string, Lane<Job>>();
  /** Endpoints with something ready and a free turn, in the order of their turns. */
  const waiting = new Set<string>();
  let inFlight = 0;
  let places = 0;

  function laneOf(endpointId: string): Lane<Job> {
    const lane = lanes.get(endpointId) ?? { places: 0, inFlight: 0, ready: [] };
    lanes.set(endpointId, lane);
    return lane;
  }

  function queue(endpointId: string, lane: Lane<Job>): void {
    if (lane.ready.length > 0 && lane.inFlight < perEndpoint) waiting.add(endpointId);
  }

  function mayStart(lane: Lane<Job>): boolean {
    return inFlight < inAll || (lane.inFlight === 0 && inFlight < 2 * inAll);
  }

  function free(endpointId: string, lane: Lane<Job>, count: number): void {
    lane.places -= count;
    places -= count;
    if (lane.places === 0) lanes.delete(endpointId);
  }

  return {
    reserve(endpointId, wanted, atLeast = 1) {
      const lane = laneOf(endpointId);
      const own = 2 * perEndpoint - lane.places;
      const common = Math.max(2 * inAll - places, lane.places === 0 ? 1 : 0);
      const possible = Math.min(wanted, own, common);
      const reserved = possible >= atLeast || lane.places === 0 ? Math.max(0, possible) : 0;
      free(endpointId, lane, -reserved);
      return reserved;
    },
    put(endpointId, job) {
      const lane = laneOf(endpointId);
      lane.ready.push(job);
      queue(endpointId, lane);
    },
    next() {
      for (const endpointId of waiting) {
        const lane = laneOf(endpointId);
        if (!mayStart(lane)) continue;
        waiting.delete(endpointId);
        const job = lane.ready.shift() as Job;
        lane.inFlight += 1;
        inFlight += 1;
        queue(endpointId, lane);
        return { endpointId, job };
      }
      return null;
    },
    ended(endpointId) {
      const lane = laneOf(endpointId);
      lane.inFlight -= 1;
      inFlight -= 1;
      queue(endpointId, lane);
    },
    release(endpointId) {
      free(endpointId, laneOf(endpointId), 1);
    },
    drain(endpointId) {
      const drained: Job[] = [];
      for (const id of endpointId === undefined ? [...lanes.keys()] : [endpointId]) {
        const lane = lanes.get(id);
        if (!lane) continue;
        waiting.delete(id);
        const jobs = lane.ready.splice(0);
        drained.push(...jobs);
        free(id, lane, jobs.length);
      }
      return drained;
    },
  };
}
