/** What is held in memory, a lane for each connection: fair between them, bounded for each and in all. */
export type Lanes<Job> = {
  /**
   * How many more may be taken in for a connection: twice its calls, so that it never waits for the database between two
   * of them, as long as there is room for all; one at least where it holds none.
   */
  room(id: string): number;
  put(id: string, jobs: Job[]): void;
  /** The next job to start, from the connection that has waited longest for its turn. */
  next(): { id: string; job: Job } | null;
  ended(id: string): void;
  /** Takes out what has not started, of one connection or of all. */
  drain(id?: string): Job[];
  inFlight(id: string): number;
};

type Lane<Job> = { ready: Job[]; inFlight: number };

/**
 * @param perLane jobs under way per connection; as many again are held ready
 * @param inAll jobs under way in all; a connection with none may always start one, up to twice as many, so that no
 *   number of hanging providers keeps a healthy one waiting
 */
export function createLanes<Job>({ perLane, inAll }: { perLane: number; inAll: number }): Lanes<Job> {
  const lanes = new Map<string, Lane<Job>>();
  let inFlight = 0;
  let places = 0;

  const laneOf = (id: string): Lane<Job> => lanes.get(id) ?? { ready: [], inFlight: 0 };
  const mayStart = (lane: Lane<Job>) => inFlight < inAll || (lane.inFlight === 0 && inFlight < 2 * inAll);

  /** Kept while it holds anything; moved to the end of the line where it had its turn. */
  function keep(id: string, lane: Lane<Job>): void {
    if (lane.ready.length === 0 && lane.inFlight === 0) lanes.delete(id);
    else lanes.set(id, lane);
  }

  return {
    room(id) {
      const lane = laneOf(id);
      const own = lane.ready.length + lane.inFlight;
      return Math.max(own === 0 ? 1 : 0, Math.min(2 * perLane - own, 2 * inAll - places));
    },
    put(id, jobs) {
      const lane = laneOf(id);
      lane.ready.push(...jobs);
      places += jobs.length;
      keep(id, lane);
    },
    next() {
      for (const [id, lane] of lanes) {
        if (lane.inFlight >= perLane || lane.ready.length === 0 || !mayStart(lane)) continue;
        const job = lane.ready.shift() as Job;
        lane.inFlight += 1;
        inFlight += 1;
        lanes.delete(id);
        lanes.set(id, lane);
        return { id, job };
      }
      return null;
    },
    ended(id) {
      const lane = laneOf(id);
      lane.inFlight -= 1;
      inFlight -= 1;
      places -= 1;
      keep(id, lane);
    },
    drain(id) {
      return (id === undefined ? [...lanes.keys()] : [id]).flatMap((one) => {
        const lane = laneOf(one);
        const drained = lane.ready.splice(0);
        places -= drained.length;
        keep(one, lane);
        return drained;
      });
    },
    inFlight: (id) => laneOf(id).inFlight,
  };
}
