import { AppError } from '@app/kernel';

/** Turns at work that takes long for some: fair between owners, whatever one of them brings. */
export type FairSemaphore = {
  /**
   * Does the work when it is its owner's turn.
   * @throws AppError overloaded `reader_busy` for another of a slow owner, where those are not to wait
   */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>;
  /** The owner's work takes long: for a while it has one turn at a time. */
  throttle(owner: string): void;
  /** Refuses what waits, with this error, and whatever comes. */
  close(error: Error): void;
};

type Bounds = {
  inAll: number;
  /** Fewer, so that nobody has them all. */
  perOwner: number;
  slowForMs: number;
  /** Whether more than one of a slow owner may wait: not where waiting takes something that all share. */
  slowMayWait: boolean;
};

type Waiting = { go: () => void; refuse: (error: Error) => void };
type Lane = { waiting: Waiting[]; inTurn: number };

export function createFairSemaphore({ inAll, perOwner, slowForMs, slowMayWait }: Bounds): FairSemaphore {
  /** The first is the owner whose last turn is longest ago. */
  const lanes = new Map<string, Lane>();
  const slowUntil = new Map<string, number>();
  let inTurn = 0;
  let closed: Error | null = null;

  const isSlow = (owner: string) => (slowUntil.get(owner) ?? 0) > performance.now();

  /** Of those that may have a turn, one that has none before one that has some. */
  function next(): [string, Lane] | undefined {
    const ready = [...lanes].filter(
      ([owner, { waiting, inTurn: own }]) => waiting.length > 0 && own < (isSlow(owner) ? 1 : perOwner),
    );
    return ready.find(([, lane]) => lane.inTurn === 0) ?? ready[0];
  }

  function putLast(owner: string, lane: Lane): void {
    lanes.delete(owner);
    lanes.set(owner, lane);
  }

  function start(): void {
    for (let found = next(); found && inTurn < inAll; found = next()) {
      const [owner, lane] = found;
      lane.inTurn += 1;
      inTurn += 1;
      putLast(owner, lane);
      lane.waiting.shift()?.go();
    }
  }

  function enter(owner: string): Promise<void> {
    if (closed) return Promise.reject(closed);
    const lane = lanes.get(owner) ?? { waiting: [], inTurn: 0 };
    if (!slowMayWait && isSlow(owner) && lane.waiting.length + lane.inTurn > 0) return Promise.reject(busy());
    lanes.set(owner, lane);
    return new Promise((go, refuse) => {
      lane.waiting.push({ go, refuse });
      start();
    });
  }

  function leave(owner: string): void {
    const lane = lanes.get(owner) as Lane;
    lane.inTurn -= 1;
    inTurn -= 1;
    if (lane.inTurn === 0 && lane.waiting.length === 0) lanes.delete(owner);
    else putLast(owner, lane);
    start();
  }

  function refuseAll(lane: Lane | undefined, error: Error): void {
    for (const { refuse } of lane?.waiting.splice(0) ?? []) refuse(error);
  }

  return {
    async run(owner, work) {
      await enter(owner);
      try {
        return await work();
      } finally {
        leave(owner);
      }
    },
    throttle(owner) {
      for (const [one, until] of slowUntil) if (until <= performance.now()) slowUntil.delete(one);
      slowUntil.set(owner, performance.now() + slowForMs);
      if (!slowMayWait) refuseAll(lanes.get(owner), busy());
    },
    close(error) {
      closed = error;
      for (const lane of lanes.values()) refuseAll(lane, error);
    },
  };
}

function busy(): AppError {
  return new AppError('overloaded', 'reader_busy', 'documents of this company take long to read: one at a time');
}
