import type { Logger } from '@app/runtime';
import { type Lease, WorkQueue } from '@app/work-queue';

/** A collection of e-mails that the queue works on: those to be sent, or those that came in. */
export type MailSource<Job> = {
  /** Tells its keys from those of others. */
  name: string;
  dueKeys(after: string, limit: number, at: Date): Promise<string[]>;
  claim(key: string, limit: number, lease: Lease): Promise<Job[]>;
  release(job: Job, at: Date): Promise<void>;
  /** Without it a job has to end within one lease. */
  renew?(job: Job, until: Date): Promise<void>;
  run(job: Job, signal: AbortSignal): Promise<void>;
};

// biome-ignore lint/suspicious/noExplicitAny: the jobs of a source go back to it alone
type AnySource = MailSource<any>;

type Deps = { sources: AnySource[]; logger: Logger; now: () => Date; leaseMs?: number | undefined };

/** Keys (domains, companies, users) take turns: one that hangs, or gets very many e-mails, holds up no other. */
const limits = { perKey: 4, total: 8 };
/** Longer than all time-outs of one e-mail; those behind it are renewed meanwhile. */
const defaultLeaseMs = 120_000;
const abortAfterMs = 3_000;

/** One queue for all that has to do with e-mail. */
export function createMailWorker({ sources, logger, now, leaseMs = defaultLeaseMs }: Deps) {
  const ordered = sources.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const sourceOf = (key: string) => {
    const name = key.slice(0, key.indexOf(':'));
    return ordered.find((source) => source.name === name) as AnySource;
  };
  type Job = { source: AnySource; job: unknown };
  return new WorkQueue<Job>({
    async dueKeys(after, limit, at) {
      const [from = ''] = after.split(':');
      const keys: string[] = [];
      for (const { name, dueKeys } of ordered.filter((source) => source.name >= from)) {
        if (keys.length === limit) break;
        const found = await dueKeys(name === from ? after.slice(from.length + 1) : '', limit - keys.length, at);
        keys.push(...found.map((key) => `${name}:${key}`));
      }
      return keys;
    },
    async claim(key, limit, lease) {
      const source = sourceOf(key);
      return (await source.claim(key.slice(source.name.length + 1), limit, lease)).map((job) => ({ source, job }));
    },
    async release(jobs) {
      for (const { source, job } of jobs) await source.release(job, now());
    },
    async renew(jobs, until) {
      for (const { source, job } of jobs) await source.renew?.(job, until);
    },
    run: ({ source, job }, { signal }) => source.run(job, signal),
    spanOf: ({ source }) => ({ name: `mail ${source.name}`, kind: 'internal' }),
    limits,
    leaseMs,
    abortAfterMs,
    now,
    logger,
  });
}
