/** What is held in memory, and whose turn it is: fair between companies and between the endpoints of each, bounded for each and in all. */
export type Turns<Job> = {
  /**
   * Takes up to `wanted` places for an endpoint's jobs; each must be filled by `put` or freed by `release`.
   * Fewer than `atLeast` are taken only where the endpoint has no other job held.
   */
  reserve(endpointId: string, wanted: number, atLeast?: number): number;
  /** How many places an endpoint has taken. */
  held(endpointId: string): number;
  /** `companyId`: whose endpoint it is; without it, an endpoint stands for itself. */
  put(endpointId: string, job: Job, companyId?: string): void;
  /** The next job to start, from the company, and of it the endpoint, that has waited longest for its turn. */
  next(): { endpointId: string; job: Job } | null;
  /** The job's attempt is over: its endpoint may start another. */
  ended(endpointId: string): void;
  /** The job is forgotten: its place is free. */
  release(endpointId: string): void;
  /** Takes out what has not started, of one endpoint or of all; their places are free. */
  drain(endpointId?: string): Job[];
};

type Lane<Job> = { endpointId: string; companyId: string; places: number; inFlight: number; ready: Job[] };

type Bounds = {
  /** Attempts in flight per endpoint. */
  perEndpoint: number;
  /**
   * Attempts in flight in all; an endpoint with none in flight may always start one, up to twice as many, so that no
   * number of hanging endpoints keeps a healthy one waiting.
   */
  inAll: number;
  /** Jobs held per endpoint: those in flight, those ready, so that a turn never waits for the database, and those being stored. */
  held?: number;
  /** Beyond it an endpoint still has a share of its own, twice what may be in flight, up to twice as many in all; then one. */
  heldInAll?: number;
};

export function createTurns<Job>(bounds: Bounds): Turns<Job> {
  const { perEndpoint, inAll, held = 2 * perEndpoint, heldInAll = 2 * inAll } = bounds;
  const lanes = new Map<string, Lane<Job>>();
  /** Endpoints with something ready and a free turn: those with none in flight, and the others. */
  const resting = createRotation<Lane<Job>>();
  const busy = createRotation<Lane<Job>>();
  let inFlight = 0;
  let places = 0;

  function laneOf(endpointId: string, companyId = endpointId): Lane<Job> {
    const lane = lanes.get(endpointId) ?? { endpointId, companyId, places: 0, inFlight: 0, ready: [] };
    lanes.set(endpointId, lane);
    return lane;
  }

  function queue(lane: Lane<Job>): void {
    if (lane.ready.length === 0 || lane.inFlight >= perEndpoint) return;
    if (lane.inFlight > 0) busy.add(lane);
    else {
      busy.remove(lane);
      resting.add(lane);
    }
  }

  function free(lane: Lane<Job>, count: number): void {
    lane.places -= count;
    places -= count;
    if (lane.places === 0) lanes.delete(lane.endpointId);
  }

  /** What hangs elsewhere may take all places that are common to all, and yet no endpoint's share. */
  function freeFor(lane: Lane<Job>): number {
    const share = Math.min(2 * perEndpoint - lane.places, 2 * heldInAll - places);
    return Math.max(heldInAll - places, share, lane.places === 0 ? 1 : 0);
  }

  function take(): Lane<Job> | null {
    if (inFlight >= 2 * inAll) return null;
    const rested = resting.take();
    if (rested) busy.served(rested.companyId);
    return rested ?? (inFlight < inAll ? busy.take() : null);
  }

  return {
    reserve(endpointId, wanted, atLeast = 1) {
      const lane = laneOf(endpointId);
      const possible = Math.min(wanted, held - lane.places, freeFor(lane));
      const reserved = possible >= atLeast || lane.places === 0 ? Math.max(0, possible) : 0;
      free(lane, -reserved);
      return reserved;
    },
    held: (endpointId) => lanes.get(endpointId)?.places ?? 0,
    put(endpointId, job, companyId) {
      const lane = laneOf(endpointId);
      if (lane.ready.length === 0 && companyId !== undefined) lane.companyId = companyId;
      lane.ready.push(job);
      queue(lane);
    },
    next() {
      const lane = take();
      if (lane === null) return null;
      const job = lane.ready.shift() as Job;
      lane.inFlight += 1;
      inFlight += 1;
      queue(lane);
      return { endpointId: lane.endpointId, job };
    },
    ended(endpointId) {
      const lane = laneOf(endpointId);
      lane.inFlight -= 1;
      inFlight -= 1;
      queue(lane);
    },
    release(endpointId) {
      free(laneOf(endpointId), 1);
    },
    drain(endpointId) {
      const drained: Job[] = [];
      for (const id of endpointId === undefined ? [...lanes.keys()] : [endpointId]) {
        const lane = lanes.get(id);
        if (!lane) continue;
        resting.remove(lane);
        busy.remove(lane);
        const jobs = lane.ready.splice(0);
        drained.push(...jobs);
        free(lane, jobs.length);
      }
      return drained;
    },
  };
}

/** Members in the order of their turns, company by company: one with many endpoints has no more turns than one with one. */
function createRotation<Member extends { companyId: string }>() {
  const companies = new Map<string, Set<Member>>();
  return {
    add(member: Member): void {
      const members = companies.get(member.companyId);
      if (members) members.add(member);
      else companies.set(member.companyId, new Set([member]));
    },
    remove(member: Member): void {
      const members = companies.get(member.companyId);
      if (members?.delete(member) && members.size === 0) companies.delete(member.companyId);
    },
    /** The company had a turn elsewhere. */
    served(companyId: string): void {
      const members = companies.get(companyId);
      if (!members) return;
      companies.delete(companyId);
      companies.set(companyId, members);
    },
    take(): Member | null {
      for (const [companyId, members] of companies) {
        const [member] = members;
        companies.delete(companyId);
        members.delete(member as Member);
        if (members.size > 0) companies.set(companyId, members);
        return member as Member;
      }
      return null;
    },
  };
}
