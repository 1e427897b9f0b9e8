import { createHash } from 'node:crypto';
import type { FeedbackRequested } from '@app/contracts';

/** What was last published of an invoice: hashes of its raw payload and document, or that it is gone. */
export type PublishedContent = { raw: string; document: string | null } | 'gone';

type JobBase = {
  id: string;
  connectionId: string;
  /** Attempts that failed, or that a crash interrupted, since the job last ended or was requested again. */
  failures: number;
  /** Leases of crashed attempts, which may have left files under the keys that derive from them. */
  abandonedLeases: string[];
  /** Its lease in the work queue; a result is recorded only under it. */
  lease: { id: string };
  /** Counts the requests for this job: a request during an attempt makes the job run once more. */
  requests: number;
};

/** Fetches one invoice. */
export type FetchJob = JobBase & {
  kind: 'fetch';
  externalId: string;
  resync: boolean;
  published: PublishedContent | null;
  /** That the provider does not have it means that it is gone: the provider said so, or it was published before a restore. */
  mayBeGone: boolean;
  /** When its fetch was first given up; null if it has not been, or was fetched since. */
  givenUpAt: Date | null;
  /**
   * Of this attempt: greater than that of every earlier attempt for the invoice, in any process. As a rule the time of the
   * claim in milliseconds, by the clock of the database.
   */
  sequence: number;
};

/** A message that the provider took and has not acknowledged. `reference`: the provider's id of it, if it gave one. */
export type SentMessage = { reference: string | null; at: Date };

/** Reports one outcome to the provider. `sent`: null until the provider took the message. */
export type FeedbackJob = JobBase & { kind: 'feedback'; request: FeedbackRequested; sent: SentMessage | null };

export type Job = FetchJob | FeedbackJob;

/** An invoice as a poll lists it. `changedAt`: of its last change, by the provider's clock; null if another change may have that time. */
export type ListedInvoice = { externalId: string; deleted: boolean; changedAt: Date | null };

export function fetchJobId(connectionId: string, externalId: string): string {
  return `fetch/${connectionId}/${externalId}`;
}

export function feedbackJobId({ invoice_id, link_version, outcome }: FeedbackRequested): string {
  return `feedback/${invoice_id}/${link_version}/${outcome}`;
}

/**
 * Why an attempt failed.
 * - `paused`: the provider wants no calls now, or the process stops; not the fault of the job
 * - `outage`: the database or the storage is unavailable; not the fault of the job
 * - `blocked`: another job must end first, and no call was made
 * - `unacknowledged`: the provider has the message since `sent.at`, and must say whether it accepts it
 * - `transient`: may succeed later
 * - `final`: will fail again
 */
export type Failure = {
  kind: 'paused' | 'outage' | 'blocked' | 'unacknowledged' | 'transient' | 'final';
  /** A sentence for people. */
  reason: string;
  retryAfterMs: number | null;
  /** No message about the invoice can reach its supplier. */
  isUnsendable?: boolean;
  sent?: SentMessage;
};

/** `wait` does not count as a failure. */
type RetryDecision = { kind: 'wait' | 'retry'; delayMs: number } | { kind: 'give up' };

const maxWaitMs = 60_000;
/** Platforms acknowledge within seconds, and some within a day. */
const soonestAskMs = 5_000;
const latestAskMs = 15 * 60_000;

/** @param delaysMs the delay after the first failure, the second, …; one failure more than delays and the job is given up */
export function retryDecision(
  { kind, retryAfterMs, sent }: Failure,
  failuresBefore: number,
  delaysMs: readonly number[],
  now: Date,
): RetryDecision {
  if (sent) {
    const soonest = Math.min(delaysMs[0] ?? soonestAskMs, soonestAskMs);
    const age = now.getTime() - sent.at.getTime();
    return { kind: 'wait', delayMs: Math.min(Math.max(soonest, age), latestAskMs) };
  }
  if (kind === 'paused') return { kind: 'wait', delayMs: 0 };
  if (kind === 'outage' || kind === 'blocked') {
    return { kind: 'wait', delayMs: Math.min(delaysMs[0] ?? maxWaitMs, maxWaitMs) };
  }
  const delayMs = delaysMs[failuresBefore];
  if (kind === 'final' || delayMs === undefined) return { kind: 'give up' };
  return { kind: 'retry', delayMs: Math.max(delayMs, retryAfterMs ?? 0) };
}

const longestReturnMs = 24 * 3_600_000;

/**
 * When a fetch that used up its attempts may be requested again by a connection that works: the first time at once, then after as
 * long as it has been failing, a day at most.
 */
export function returnTime({ givenUpAt }: FetchJob, now: Date): Date {
  const failingMs = givenUpAt === null ? 0 : now.getTime() - givenUpAt.getTime();
  return new Date(now.getTime() + Math.min(failingMs, longestReturnMs));
}

/** True once the job has crashed the process too often: crashes count as failures. */
export function isExhausted({ failures }: Job, delaysMs: readonly number[]): boolean {
  return failures > delaysMs.length;
}

/**
 * The storage key of a file that the holder of a lease writes. The lease is recorded before the file is written, so the
 * next holder finds what a crash left behind.
 */
export function fileKey(leaseId: string, jobId: string, part: 'raw' | 'document'): string {
  return createHash('sha256').update(`${leaseId}\n${jobId}\n${part}`).digest('base64url');
}

/** The keys under which crashed attempts may have left files. */
export function abandonedFileKeys({ id, abandonedLeases }: Pick<Job, 'id' | 'abandonedLeases'>): string[] {
  return abandonedLeases.flatMap((leaseId) => [fileKey(leaseId, id, 'raw'), fileKey(leaseId, id, 'document')]);
}
