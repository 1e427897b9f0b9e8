import { randomUUID } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import { createTaskTracker, type Logger } from '@app/runtime';
import type { AccountStore } from '../connections/account-store.ts';
import { type Account, mayCall } from '../connections/connection.ts';
import { every } from './every.ts';
import type { Job, Lease } from './job.ts';
import type { JobStore } from './job-store.ts';
import { createLanes } from './lanes.ts';
import { type Perform, Stopped } from './perform.ts';

export type Worker = {
  /** Something of this connection is due. */
  wake(connectionId: string): void;
  /** Starts nothing more of what is held here for a connection, which was changed or deleted. */
  forget(connectionId: string): void;
  start(): void;
  /** Takes up nothing more, lets what is under way end, for a while, and gives the rest back. */
  stop(): Promise<void>;
};

export type WorkSettings = {
  /** Calls under way per connection, and in all. */
  concurrency: number;
  totalConcurrency: number;
  /** How long a job stays with a process that says nothing any more. */
  leaseMs: number;
};

type Deps = {
  jobs: JobStore;
  accounts: AccountStore;
  perform: Perform;
  settings: WorkSettings;
  logger: Logger;
  now: () => Date;
};

/** What nobody woke, a retry or the end of a pause, is found within that. */
const sweepEveryMs = 500;
const sweptAtOnce = 1_000;
/** How old what is known of a connection may be when one of its jobs is started: another replica may have changed it. */
const accountGoodForMs = 1_000;
const endedAtOnce = 500;
const stopWithinMs = 5_000;

/** Claims every job that is due and has it done, in fair turns between connections. */
export function createWorker({ jobs, accounts, perform, settings, logger, now }: Deps): Worker {
  const { concurrency, totalConcurrency, leaseMs } = settings;
  const lanes = createLanes<Job>({ perLane: concurrency, inAll: totalConcurrency });
  const known = new Map<string, { account: Account | undefined; at: number }>();
  const claiming = new Set<string>();
  /** Connections that may have more due in the database than is held here. */
  const backlog = new Set<string>();
  const held = new Set<Job>();
  const { track, drain: ended } = createTaskTracker((error) =>
    logger.warn('work on a connection was interrupted', { error }),
  );
  const cut = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let stopped = false;

  async function look(id: string, goodForMs: number): Promise<Account | undefined> {
    const seen = known.get(id);
    if (seen && seen.at > Date.now() - goodForMs) return seen.account;
    const at = Date.now();
    const account = await accounts.find(id);
    known.set(id, { account, at });
    return account;
  }

  /** Jobs are claimed first and the connection is looked at then: what came in after its end does not slip through. */
  async function claim(id: string): Promise<void> {
    const before = await look(id, accountGoodForMs);
    const limit = before?.state === 'deleted' ? endedAtOnce : before?.refused ? 1 : lanes.room(id);
    if (before?.refused && lanes.inFlight(id) > 0) return;
    const lease: Lease = { id: randomUUID(), until: new Date(Date.now() + leaseMs) };
    const claimed = await jobs.claim(id, limit, lease);
    if (claimed.length === 0) return;
    const account = await look(id, 0);
    if (stopped || !isWorth(account, now())) return jobs.giveBack(claimed, now());
    if (claimed.length === limit) backlog.add(id);
    if (account?.state === 'deleted') return perform.end(claimed);
    for (const job of claimed) held.add(job);
    lanes.put(id, claimed);
  }

  function fill(id: string): void {
    if (stopped || claiming.has(id) || !backlog.has(id) || !hasRoom(id)) return;
    claiming.add(id);
    // Before the claim: whoever wakes it meanwhile has put it in again.
    backlog.delete(id);
    void track(
      claim(id).finally(() => {
        claiming.delete(id);
        pump();
        if (lanes.inFlight(id) === 0) known.delete(id);
        setImmediate(() => fill(id));
      }),
    );
  }

  /** Worth a claim: one for each job that ends would cost more than the jobs themselves. */
  function hasRoom(id: string): boolean {
    const room = lanes.room(id);
    return room > 0 && (lanes.inFlight(id) === 0 || room >= concurrency / 2);
  }

  function pump(): void {
    for (let turn = stopped ? null : lanes.next(); turn !== null; turn = lanes.next()) {
      const { id, job } = turn;
      void track(
        work(id, job).finally(() => {
          held.delete(job);
          lanes.ended(id);
          if (lanes.inFlight(id) === 0) known.delete(id);
          fill(id);
          // There is room again for whoever waits longest.
          const [first] = backlog;
          if (first !== undefined) fill(first);
          pump();
        }),
      );
    }
  }

  async function work(id: string, job: Job): Promise<void> {
    const account = await look(id, accountGoodForMs);
    if (!mayCall(account, now())) return putBack(id, [job]);
    const performed = await perform.run(job, account, cut.signal);
    if (performed === 'again') backlog.add(id);
    if (performed === 'held') {
      known.delete(id);
      await putBack(id, []);
    }
  }

  async function putBack(id: string | undefined, jobsToo: Job[]): Promise<void> {
    const back = [...lanes.drain(id), ...jobsToo];
    for (const job of back) held.delete(job);
    await jobs.giveBack(back, now());
  }

  async function sweep(): Promise<void> {
    for (let after = '', full = true; full && !stopped; ) {
      const due = await jobs.dueConnections(after, sweptAtOnce, new Date());
      const found = await accounts.load(due);
      for (const id of due) if (isWorth(found.get(id), now())) wake(id);
      full = due.length === sweptAtOnce;
      after = due.at(-1) ?? after;
    }
  }

  function wake(id: string): void {
    backlog.add(id);
    fill(id);
  }

  async function renew(): Promise<void> {
    if (held.size > 0) await jobs.renew([...held], new Date(Date.now() + leaseMs));
  }

  return {
    wake,
    forget(id) {
      known.delete(id);
      void track(putBack(id, []));
    },
    start() {
      timers.push(
        every(sweepEveryMs, () => track(sweep())),
        every(leaseMs / 3, () => track(renew())),
      );
    },
    async stop() {
      stopped = true;
      clearInterval(timers[0]);
      await putBack(undefined, []);
      const late = setTimeout(() => cut.abort(new Stopped()), stopWithinMs);
      // What does not even heed the abort is left to the end of its lease.
      await Promise.race([ended(), later(2 * stopWithinMs, undefined, { ref: false })]);
      clearTimeout(late);
      clearInterval(timers[1]);
    },
  };
}

function isWorth(account: Account | undefined, at: Date): boolean {
  return account?.state === 'deleted' || mayCall(account, at);
}
