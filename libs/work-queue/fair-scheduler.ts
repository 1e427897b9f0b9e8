import { createRoundRobin } from './round-robin.ts';

/**
 * Holds jobs in memory and says which one starts next: in turns between groups (companies), and between the keys
 * (endpoints, accounts) of a group; bounded for each key and in total. Pure: it starts nothing itself.
 */
export type FairScheduler<Job> = {
  /**
   * Reserves up to `wanted` slots for jobs of a key; each must be used by `add` or given back by `release`.
   * Reserves fewer than `atLeast` only if the key has no slot yet. Gives the number of slots.
   */
  reserve(key: string, wanted: number, atLeast?: number): number;
  /** Queues a job in a reserved slot. Without a group the key is a group of its own. */
  add(key: string, job: Job, group?: string): void;
  /** Takes the next job and counts it as running; null if none may start. */
  next(): { key: string; job: Job } | null;
  /** A running job no longer counts as running; its slot stays taken. */
  turnEnded(key: string): void;
  /** Frees a slot. */
  release(key: string): void;
  /** Takes out the jobs that have not started, of one key or of all, and frees their slots. */
  drain(key?: string): Job[];
  /** Slots that the key has taken. */
  slots(key: string): number;
  /** Jobs of the key that are running. */
  running(key: string): number;
};

export type WorkQueueLimits = {
  /** Running jobs of one key. */
  perKey: number;
  /**
   * Running jobs in total. A key with none running may exceed it, up to twice as many in total: keys whose jobs hang
   * do not keep a healthy key from starting.
   */
  total: number;
  /** Jobs of one key in memory: running, ready to start, or being stored. By default twice `perKey`. */
  heldPerKey?: number;
  /**
   * Jobs in memory in total, by default twice `total`. Beyond it a key may still hold twice `perKey`, up to twice as many
   * in total, and beyond that one.
   */
  heldTotal?: number;
};

type KeyState<Job> = { key: string; group: string; slots: number; running: number; ready: Job[] };

export function createFairScheduler<Job>(limits: WorkQueueLimits): FairScheduler<Job> {
  const { perKey, total, heldPerKey = 2 * perKey, heldTotal = 2 * total } = limits;
  const states = new Map<string, KeyState<Job>>();
  /** Keys with a job that may start: those with none running, and the others. */
  const idle = createRoundRobin<KeyState<Job>>();
  const active = createRoundRobin<KeyState<Job>>();
  let runningTotal = 0;
  let slotsTotal = 0;

  function stateOf(key: string): KeyState<Job> {
    const state = states.get(key) ?? { key, group: key, slots: 0, running: 0, ready: [] };
    states.set(key, state);
    return state;
  }

  function enqueue(state: KeyState<Job>): void {
    if (state.ready.length === 0 || state.running >= perKey) return;
    if (state.running > 0) active.add(state);
    else {
      active.remove(state);
      idle.add(state);
    }
  }

  function free(state: KeyState<Job>, count: number): void {
    state.slots -= count;
    slotsTotal -= count;
    if (state.slots === 0) states.delete(state.key);
  }

  function freeSlots(state: KeyState<Job>): number {
    const ownShare = Math.min(2 * perKey - state.slots, 2 * heldTotal - slotsTotal);
    const shared = Math.max(heldTotal - slotsTotal, ownShare, state.slots === 0 ? 1 : 0);
    return Math.min(heldPerKey - state.slots, shared);
  }

  function takeState(): KeyState<Job> | null {
    if (runningTotal >= 2 * total) return null;
    const state = idle.take();
    if (state) active.skip(state.group);
    return state ?? (runningTotal < total ? active.take() : null);
  }

  return {
    reserve(key, wanted, atLeast = 1) {
      const state = stateOf(key);
      const possible = Math.min(wanted, freeSlots(state));
      const reserved = possible >= atLeast || state.slots === 0 ? Math.max(0, possible) : 0;
      free(state, -reserved);
      return reserved;
    },
    add(key, job, group) {
      const state = stateOf(key);
      if (state.ready.length === 0 && group !== undefined) state.group = group;
      state.ready.push(job);
      enqueue(state);
    },
    next() {
      const state = takeState();
      if (state === null) return null;
      const job = state.ready.shift() as Job;
      state.running += 1;
      runningTotal += 1;
      enqueue(state);
      return { key: state.key, job };
    },
    turnEnded(key) {
      const state = stateOf(key);
      state.running -= 1;
      runningTotal -= 1;
      enqueue(state);
    },
    release: (key) => free(stateOf(key), 1),
    drain(key) {
      const drained: Job[] = [];
      for (const one of key === undefined ? [...states.keys()] : [key]) {
        const state = states.get(one);
        if (!state) continue;
        idle.remove(state);
        active.remove(state);
        const jobs = state.ready.splice(0);
        drained.push(...jobs);
        free(state, jobs.length);
      }
      return drained;
    },
    slots: (key) => states.get(key)?.slots ?? 0,
    running: (key) => states.get(key)?.running ?? 0,
  };
}
