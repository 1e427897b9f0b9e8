/**
 * A queue in which groups take turns, and the members of each group among themselves: a group with many members gets no
 * more turns than a group with one.
 */
class RoundRobin<Member extends { group: string }> {
  /** A Map and a Set keep the order of insertion: what is deleted and set again moves to the end. */
  readonly #groups = new Map<string, Set<Member>>();

  add(member: Member): void {
    const members = this.#groups.get(member.group);
    if (members) members.add(member);
    else this.#groups.set(member.group, new Set([member]));
  }

  remove(member: Member): void {
    const members = this.#groups.get(member.group);
    if (members?.delete(member) && members.size === 0) this.#groups.delete(member.group);
  }

  /** Takes out the next member, of the group that has waited longest; null if there is none. */
  next(): Member | null {
    for (const [group, members] of this.#groups) {
      const [member] = members;
      members.delete(member as Member);
      this.#groups.delete(group);
      if (members.size > 0) this.#groups.set(group, members);
      return member as Member;
    }
    return null;
  }

  /** The group was served elsewhere: its turn is over here too. */
  skip(group: string): void {
    const members = this.#groups.get(group);
    if (!members) return;
    this.#groups.delete(group);
    this.#groups.set(group, members);
  }
}

export type WorkQueueLimits = {
  /** Running jobs of one key. */
  perKey: number;
  /**
   * Running jobs in total. A key with none running may exceed it, up to twice as many in total: keys whose jobs hang
   * do not keep a healthy key from starting.
   */
  total: number;
  /** Jobs of one key in memory: running, ready to start, or being stored. By default twice `perKey`. */
  inMemoryPerKey?: number;
  /**
   * Jobs in memory in total, by default twice `total`. Beyond it a key may still hold twice `perKey`, up to twice as many
   * in total, and beyond that one.
   */
  inMemoryTotal?: number;
};

type KeyState<Job> = { key: string; group: string; slots: number; running: number; ready: Job[] };

/**
 * Holds jobs in memory and says which one starts next: in turns between groups (companies), and between the keys
 * (endpoints, accounts) of a group; bounded for each key and in total. Pure: it starts nothing itself.
 */
export class FairScheduler<Job> {
  readonly #limits: Required<WorkQueueLimits>;
  readonly #states = new Map<string, KeyState<Job>>();
  /** Keys with a job that may start: those with none running, and the others. */
  readonly #idle = new RoundRobin<KeyState<Job>>();
  readonly #active = new RoundRobin<KeyState<Job>>();
  #running = 0;
  #slots = 0;

  constructor(limits: WorkQueueLimits) {
    this.#limits = { inMemoryPerKey: 2 * limits.perKey, inMemoryTotal: 2 * limits.total, ...limits };
  }

  /**
   * Reserves up to `wanted` slots for jobs of a key; each must be used by `add` or released by `release`.
   * Reserves fewer than `atLeast` only if the key has no slot yet. Gives the number of slots.
   */
  reserve(key: string, wanted: number, atLeast = 1): number {
    const state = this.#stateOf(key);
    const possible = Math.min(wanted, this.#freeSlots(state));
    const reserved = possible >= atLeast || state.slots === 0 ? Math.max(0, possible) : 0;
    this.#free(state, -reserved);
    return reserved;
  }

  /** Queues a job in a reserved slot. Without a group the key is a group of its own. */
  add(key: string, job: Job, group?: string): void {
    const state = this.#stateOf(key);
    if (state.ready.length === 0 && group !== undefined) state.group = group;
    state.ready.push(job);
    this.#enqueue(state);
  }

  /** Takes the next job and counts it as running; null if none may start. */
  next(): { key: string; job: Job } | null {
    const state = this.#nextState();
    if (state === null) return null;
    const job = state.ready.shift() as Job;
    state.running += 1;
    this.#running += 1;
    this.#enqueue(state);
    return { key: state.key, job };
  }

  /** A running job no longer counts as running; its slot stays taken. */
  turnEnded(key: string): void {
    const state = this.#stateOf(key);
    state.running -= 1;
    this.#running -= 1;
    this.#enqueue(state);
  }

  /** Frees a slot. */
  release(key: string): void {
    this.#free(this.#stateOf(key), 1);
  }

  /** Takes out the jobs that have not started, of one key or of all, and frees their slots. */
  drain(key?: string): Job[] {
    return (key === undefined ? [...this.#states.keys()] : [key]).flatMap((one) => this.#drainKey(one));
  }

  /** Slots that the key has taken. */
  slots(key: string): number {
    return this.#states.get(key)?.slots ?? 0;
  }

  running(key: string): number {
    return this.#states.get(key)?.running ?? 0;
  }

  #stateOf(key: string): KeyState<Job> {
    const state = this.#states.get(key) ?? { key, group: key, slots: 0, running: 0, ready: [] };
    this.#states.set(key, state);
    return state;
  }

  #enqueue(state: KeyState<Job>): void {
    if (state.ready.length === 0 || state.running >= this.#limits.perKey) return;
    if (state.running > 0) this.#active.add(state);
    else {
      this.#active.remove(state);
      this.#idle.add(state);
    }
  }

  #nextState(): KeyState<Job> | null {
    const { total } = this.#limits;
    if (this.#running >= 2 * total) return null;
    const state = this.#idle.next();
    if (state) this.#active.skip(state.group);
    return state ?? (this.#running < total ? this.#active.next() : null);
  }

  #freeSlots({ slots }: KeyState<Job>): number {
    const { perKey, inMemoryPerKey, inMemoryTotal } = this.#limits;
    const ownShare = Math.min(2 * perKey - slots, 2 * inMemoryTotal - this.#slots);
    const inTotal = Math.max(inMemoryTotal - this.#slots, ownShare, slots === 0 ? 1 : 0);
    return Math.min(inMemoryPerKey - slots, inTotal);
  }

  #free(state: KeyState<Job>, count: number): void {
    state.slots -= count;
    this.#slots -= count;
    if (state.slots === 0) this.#states.delete(state.key);
  }

  #drainKey(key: string): Job[] {
    const state = this.#states.get(key);
    if (!state) return [];
    this.#idle.remove(state);
    this.#active.remove(state);
    const jobs = state.ready.splice(0);
    this.#free(state, jobs.length);
    return jobs;
  }
}
