import { AppError } from '@app/kernel';
import { ProviderError } from '@app/providers';
import { isTransientMongoError, type Logger } from '@app/runtime';
import type { Storage } from '@app/storage';
import { QueueStopped } from '@app/work-queue';
import type { ProviderAccount } from '../connections/connection.ts';
import type { ProviderAccountStore } from '../connections/provider-account-store.ts';
import type { ProviderClients } from '../connections/provider-clients.ts';
import { startCall } from '../metrics.ts';
import type { FetchFailureStore } from './fetch-failure-store.ts';
import { fetchInvoice } from './fetch-invoice.ts';
import { abandonedFileKeys, type Failure, isExhausted, type Job, retryDecision } from './job.ts';
import type { EndResult, JobOutcome, JobStore } from './job-store.ts';
import { feedbackOutcome, OlderInProgress, sendFeedback, Unacknowledged } from './send-feedback.ts';

type JobRunnerDeps = {
  jobs: JobStore;
  failures: Pick<FetchFailureStore, 'requeueExhausted'>;
  accounts: ProviderAccountStore;
  clients: ProviderClients;
  storage: Storage;
  logger: Logger;
  now: () => Date;
  retryDelaysMs: readonly number[];
  /** How long a connection whose key was rejected is not called, unless it gets another key. */
  probeAfterMs: number;
};

/**
 * `paused`: the connection must not be called for now, whatever else waits there. `blocked`: another job must end first.
 * `unacknowledged`: the provider must say whether it accepts what was sent.
 */
type JobResult = EndResult | 'paused' | 'blocked' | 'unacknowledged' | 'failed';

const keepGivenUpMs = 30 * 24 * 3_600_000;

/** Runs one attempt of a job: removes what crashed attempts left, calls the provider, records what came of it. */
export class JobRunner {
  readonly #deps: JobRunnerDeps;

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
  }

  /** Rejects only if the result could not be recorded. */
  async run(job: Job, account: ProviderAccount, signal: AbortSignal): Promise<JobResult> {
    const endCall = startCall({ provider: account.provider, kind: job.kind });
    const result = await this.#runOnce(job, account, signal);
    endCall(result);
    return result;
  }

  async #runOnce(job: Job, account: ProviderAccount, signal: AbortSignal): Promise<JobResult> {
    const { jobs, accounts, failures, retryDelaysMs, logger, now } = this.#deps;
    if (isExhausted(job, retryDelaysMs)) {
      const reason = 'it ended the process that worked on it, again and again';
      return this.#giveUp(job, { reason }, 'crashes');
    }
    let outcome: JobOutcome;
    try {
      outcome = await this.#attempt(job, account, signal);
    } catch (error) {
      return this.#recordFailure(job, account, signal.aborted ? signal.reason : error);
    }
    const result = await jobs.finish(job, outcome);
    if (result === 'lost') return this.#discard(job);
    logger.debug('provider called', { ...logFields(job), events: outcome.events.map(({ type }) => type) });
    if (account.health === 'unhealthy') {
      await accounts.markHealthy(account);
      await failures.requeueExhausted(account.id, now());
    }
    return result;
  }

  /** Ends jobs of a deleted connection: feedback as failed, fetches are deleted. */
  async cancel(cancelled: Job[]): Promise<void> {
    const { jobs, now } = this.#deps;
    const at = now();
    for (const job of cancelled) {
      await this.#removeFiles(job);
      if (job.kind === 'fetch') continue;
      await jobs.giveUp(job, 'deleted', feedbackOutcome(job.request, 'the connection was deleted', at));
    }
    const fetches = cancelled.filter(({ kind }) => kind === 'fetch');
    await jobs.discardFetches(fetches, new Date(at.getTime() + keepGivenUpMs));
  }

  async #attempt(job: Job, account: ProviderAccount, signal: AbortSignal): Promise<JobOutcome> {
    const { jobs, clients, storage, now } = this.#deps;
    await this.#removeFiles(job);
    const { client, configured } = clients.of(account);
    if (job.kind === 'feedback') return sendFeedback({ jobs, now }, { job, client, configured, signal });
    return fetchInvoice({ storage, now }, { job, account, client, signal });
  }

  async #recordFailure(job: Job, account: ProviderAccount, error: unknown): Promise<JobResult> {
    const { jobs, accounts, logger, now, retryDelaysMs, probeAfterMs } = this.#deps;
    const failure = classify(error, job);
    const { reason, retryAfterMs } = failure;
    const isProviderError = error instanceof ProviderError;
    const fields = { ...logFields(job), failures: job.failures, reason };
    if (isWaiting(failure)) logger.debug('job waits', fields);
    else logger.warn('call to a provider failed', isProviderError ? fields : { ...fields, error });
    const at = now();
    const after = (ms: number) => new Date(at.getTime() + ms);
    if (isProviderError && error.kind === 'unauthorized') {
      await accounts.credentialsRefused(account, after(probeAfterMs), at);
    }
    if (retryAfterMs) await accounts.pauseUntil(account.id, after(retryAfterMs));
    const decision = retryDecision(failure, job.failures, retryDelaysMs, at);
    if (decision.kind === 'give up') {
      return this.#giveUp(job, failure, failure.kind === 'transient' ? 'attempts used up' : 'refused');
    }
    const retry = { at: after(decision.delayMs), reason, isFailure: decision.kind === 'retry', sent: failure.sent };
    // Files of the attempt may have been removed under it; what it stored after that is nobody's.
    const isBlocked = failure.kind === 'blocked' && job.kind === 'feedback';
    const isOurs = await (isBlocked ? jobs.block(job, retry) : jobs.scheduleRetry(job, retry));
    if (!isOurs) await this.#discard(job);
    if (failure.kind === 'paused' || retryAfterMs) return 'paused';
    if (!isOurs) return 'lost';
    return isWaiting(failure) ? failure.kind : 'failed';
  }

  /** Another process has the job, or it was cancelled: removes what this attempt stored. */
  async #discard(job: Job): Promise<'lost'> {
    await this.#removeFiles({ id: job.id, abandonedLeases: [job.lease.id] }).catch((error) =>
      this.#deps.logger.error('files of a lost attempt stay in the storage', {
        ...logFields(job),
        lease: job.lease.id,
        error,
      }),
    );
    this.#deps.logger.info('job result discarded: its lease was lost', logFields(job));
    return 'lost';
  }

  async #giveUp(
    job: Job,
    { reason, isUnsendable: unsendable = false }: Pick<Failure, 'reason' | 'isUnsendable'>,
    cause: 'refused' | 'attempts used up' | 'crashes',
  ): Promise<JobResult> {
    const { jobs, accounts, logger, now } = this.#deps;
    const at = now();
    await this.#removeFiles({ id: job.id, abandonedLeases: [...job.abandonedLeases, job.lease.id] });
    const returns = cause === 'attempts used up';
    const outcome =
      job.kind === 'feedback'
        ? feedbackOutcome(job.request, reason, at, { refused: cause === 'refused', unsendable })
        : { events: [], expiresAt: new Date(at.getTime() + keepGivenUpMs), returns };
    const result = await jobs.giveUp(job, reason, outcome);
    if (result !== 'done') return result;
    // A refused feedback is reported by its event. A missing invoice is reported by the health of the connection alone.
    if (job.kind === 'fetch' || (cause !== 'refused' && !unsendable)) {
      await accounts.markUnhealthy(job.connectionId, 'fetches_failing', at);
    }
    logger.error('job failed for good', { ...logFields(job), reason });
    return 'failed';
  }

  async #removeFiles(job: Pick<Job, 'id' | 'abandonedLeases'>): Promise<void> {
    for (const key of abandonedFileKeys(job)) await this.#deps.storage.remove(key);
  }
}

/** It did not fail. */
function isWaiting(failure: Failure): failure is Failure & { kind: 'blocked' | 'unacknowledged' } {
  return failure.kind === 'blocked' || failure.kind === 'unacknowledged';
}

function logFields(job: Job) {
  const id = job.kind === 'fetch' ? { externalId: job.externalId } : { invoiceId: job.request.invoice_id };
  return { connectionId: job.connectionId, kind: job.kind, ...id };
}

/** An error of this service is retried like an outage of the provider. */
function classify(error: unknown, { kind }: Job): Failure {
  if (error instanceof OlderInProgress) return { kind: 'blocked', reason: error.message, retryAfterMs: null };
  if (error instanceof Unacknowledged) {
    return { kind: 'unacknowledged', reason: error.message, retryAfterMs: null, sent: error.sent };
  }
  if (error instanceof QueueStopped) return { kind: 'paused', reason: error.message, retryAfterMs: null };
  if (isOutage(error)) return { kind: 'outage', reason: 'something of ours does not answer', retryAfterMs: null };
  if (!(error instanceof ProviderError)) return { kind: 'transient', reason: 'our own failure', retryAfterMs: null };
  const { message: reason, retryAfterMs } = error;
  if (error.kind === 'unauthorized' || error.kind === 'rate_limited') return { kind: 'paused', reason, retryAfterMs };
  const isFinal = error.kind === 'refused' || (error.kind === 'not_found' && kind === 'feedback');
  const isUnsendable = error.code === 'not_sendable';
  return { kind: isFinal ? 'final' : 'transient', reason, retryAfterMs, isUnsendable };
}

/** The database or the storage is unavailable. */
function isOutage(error: unknown): boolean {
  return isTransientMongoError(error) || (error instanceof AppError && error.kind === 'unavailable');
}
