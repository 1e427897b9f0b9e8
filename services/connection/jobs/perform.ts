import { AppError } from '@app/kernel';
import { ProviderError } from '@app/providers';
import { isTransientMongoError, type Logger } from '@app/runtime';
import type { Storage } from '@app/storage';
import type { AccountStore } from '../connections/account-store.ts';
import type { Account } from '../connections/connection.ts';
import type { ProviderClients } from '../provider-client.ts';
import type { FailureStore } from './failure-store.ts';
import { fetchInvoice } from './fetch.ts';
import { type Failure, fateOf, fileKeysOf, isSpent, type Job } from './job.ts';
import type { Done, JobStore } from './job-store.ts';
import { settled, tellProvider } from './tell.ts';

export type PerformDeps = {
  jobs: JobStore;
  failures: Pick<FailureStore, 'wantAgain'>;
  accounts: AccountStore;
  clients: ProviderClients;
  storage: Storage;
  logger: Logger;
  now: () => Date;
  retryDelaysMs: readonly number[];
  /** How long a connection whose key was refused is left alone, unless it gets another one. */
  probeAfterMs: number;
};

/** `held`: the connection is not to be called for now, whatever else waits there. */
export type Performed = 'done' | 'again' | 'held' | 'failed' | 'lost';

export type Perform = {
  /** One try of one job; what came of it is recorded. Rejects where that could not be recorded. */
  run(job: Job, account: Account, signal: AbortSignal): Promise<Performed>;
  /** Ends the jobs of a deleted connection: feedback is settled as failed, fetches are forgotten. */
  end(jobs: Job[]): Promise<void>;
};

/** The reason of an abort: the process ends, and the job goes to another one as it was. */
export class Stopped extends Error {
  override readonly message = 'the process was stopped';
}

const keptAfterGivingUpMs = 30 * 24 * 3_600_000;

export function createPerform(deps: PerformDeps): Perform {
  const { jobs, accounts, clients, storage, logger, now, retryDelaysMs } = deps;

  /** Removes what crashed tries have stored. */
  async function clear(job: Pick<Job, 'id' | 'abandoned'>): Promise<void> {
    for (const key of fileKeysOf(job)) await storage.remove(key);
  }

  async function attempt(job: Job, account: Account, signal: AbortSignal): Promise<Done> {
    await clear(job);
    const { client, known } = clients.of(account);
    if (job.kind === 'feedback') return tellProvider({ jobs, now }, { job, client, known, signal });
    return fetchInvoice({ storage, now }, { job, account, client, signal });
  }

  async function run(job: Job, account: Account, signal: AbortSignal): Promise<Performed> {
    if (isSpent(job, retryDelaysMs)) return giveUp(job, 'it ended the process that worked on it, again and again');
    const attempted = await attempt(job, account, signal).catch((error: unknown) => ({ error }));
    if ('error' in attempted) return failed(job, account, signal.aborted ? signal.reason : attempted.error);
    const finished = await jobs.finish(job, attempted);
    if (finished === 'lost') {
      await clear({ id: job.id, abandoned: [job.lease.id] });
      logger.info('result dropped: the job was taken away', idsOf(job));
      return 'lost';
    }
    logger.debug('provider called', { ...idsOf(job), events: attempted.events.map(({ type }) => type) });
    if (account.health === 'unhealthy') {
      await accounts.recovered(account);
      await deps.failures.wantAgain(account.id, now());
    }
    return finished;
  }

  async function failed(job: Job, account: Account, error: unknown): Promise<Performed> {
    const failure = failureOf(error, job);
    const { reason, retryAfterMs } = failure;
    const isOurs = !(error instanceof ProviderError);
    logger.warn('call to a provider failed', {
      ...idsOf(job),
      failures: job.failures,
      reason,
      ...(isOurs ? { error } : {}),
    });
    const at = now();
    if (error instanceof ProviderError && error.kind === 'unauthorized') {
      await accounts.refused(account, new Date(at.getTime() + deps.probeAfterMs), at);
    }
    if (retryAfterMs) await accounts.hold(account.id, new Date(at.getTime() + retryAfterMs));
    const fate = fateOf(failure, job.failures, retryDelaysMs);
    const isExhausted = failure.kind === 'transient';
    if (fate.kind === 'give up') return giveUp(job, reason, { isExhausted, returns: isExhausted });
    await jobs.retry(job, { at: new Date(at.getTime() + fate.delayMs), reason, isFailure: fate.kind === 'retry' });
    return failure.kind === 'held' || retryAfterMs ? 'held' : 'failed';
  }

  /** `returns`: another time it may succeed, where the others of its connection do. */
  async function giveUp(job: Job, reason: string, { isExhausted = true, returns = false } = {}): Promise<Performed> {
    const at = now();
    await clear({ id: job.id, abandoned: [...job.abandoned, job.lease.id] });
    const keptUntil = new Date(at.getTime() + keptAfterGivingUpMs);
    const done = job.kind === 'feedback' ? settled(job, reason, at) : { events: [], keptUntil };
    const ended = await jobs.giveUp(job, reason, { ...done, returns: returns && job.kind === 'fetch' });
    if (ended !== 'done') return ended;
    // An outcome that was refused is told by its own event; of an invoice that never comes nobody else hears.
    if (isExhausted || job.kind === 'fetch') await accounts.failing(job.connectionId, 'fetches_failing', at);
    logger.error('given up', { ...idsOf(job), reason });
    return 'failed';
  }

  async function end(ended: Job[]): Promise<void> {
    const at = now();
    for (const job of ended) {
      await clear(job);
      if (job.kind === 'feedback') await jobs.giveUp(job, 'deleted', settled(job, 'the connection was deleted', at));
    }
    const keptUntil = new Date(at.getTime() + keptAfterGivingUpMs);
    await jobs.discard(
      ended.filter(({ kind }) => kind === 'fetch'),
      keptUntil,
    );
  }

  return { run, end };
}

function idsOf(job: Job) {
  const of = job.kind === 'fetch' ? { externalId: job.externalId } : { invoiceId: job.request.invoice_id };
  return { connectionId: job.connectionId, kind: job.kind, ...of };
}

/** What an error means for its job; what no provider said is our own failure, and tried again like an outage. */
function failureOf(error: unknown, { kind }: Job): Failure {
  if (error instanceof Stopped) return { kind: 'held', reason: error.message, retryAfterMs: null };
  if (isOutage(error)) return { kind: 'outage', reason: 'something of ours does not answer', retryAfterMs: null };
  if (!(error instanceof ProviderError)) return { kind: 'transient', reason: 'our own failure', retryAfterMs: null };
  const { message: reason, retryAfterMs } = error;
  if (error.kind === 'unauthorized' || error.kind === 'rate_limited') return { kind: 'held', reason, retryAfterMs };
  const isFinal = error.kind === 'refused' || (error.kind === 'not_found' && kind === 'feedback');
  return { kind: isFinal ? 'final' : 'transient', reason, retryAfterMs };
}

/** Of the database or the storage: it says nothing of the invoice. */
function isOutage(error: unknown): boolean {
  return isTransientMongoError(error) || (error instanceof AppError && error.kind === 'unavailable');
}
