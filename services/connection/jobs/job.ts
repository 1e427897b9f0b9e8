import { createHash } from 'node:crypto';
import { type FeedbackRequested, type FeedbackSettled, invoiceFeedbackSettled, type NewEvent } from '@app/contracts';

/** The right to work on a job until then; who holds another one cannot record a result. Nobody can guess its id. */
export type Lease = { id: string; until: Date };

/** What was published last of an invoice: hashes of its raw payload and document, or that it is gone. */
export type Known = { raw: string; document: string | null } | 'gone';

type Common = {
  id: string;
  connectionId: string;
  /** Tries that failed since the last success, and those that a crash cut short. */
  failures: number;
  /** Leases of those that crashed: files may have been left under the keys that they give. */
  abandoned: string[];
  lease: Lease;
};

/** An invoice to be fetched. `wanted` counts the requests for it: those that come during a fetch have it run once more. */
export type FetchJob = Common & {
  kind: 'fetch';
  externalId: string;
  resync: boolean;
  wanted: number;
  known: Known | null;
  /** Of this try, as a rule the time of its claim: later tries of the invoice have higher ones, whichever process makes them. */
  sequence: number;
};

/** An outcome that the provider is to be told, once per link. */
export type FeedbackJob = Common & { kind: 'feedback'; request: FeedbackRequested; wanted: number };

export type Job = FetchJob | FeedbackJob;

export function fetchJobId(connectionId: string, externalId: string): string {
  return `fetch/${connectionId}/${externalId}`;
}

export function feedbackJobId({ invoice_id, link_version, outcome }: FeedbackRequested): string {
  return `feedback/${invoice_id}/${link_version}/${outcome}`;
}

/** What a failed try means for its job (domain.md section 5, row 2). */
export type Failure = {
  /**
   * `held`: no fault of the job, it waits with its connection; `outage`: nor is this, something of ours is away; `final`: trying
   * again would not help.
   */
  kind: 'held' | 'outage' | 'transient' | 'final';
  reason: string;
  retryAfterMs: number | null;
};

export type Fate = { kind: 'wait'; delayMs: number } | { kind: 'retry'; delayMs: number } | { kind: 'give up' };

/** What becomes of a job after a failure: the delays are those of the setting, the first after the first failure. */
export function fateOf({ kind, retryAfterMs }: Failure, failuresBefore: number, delaysMs: readonly number[]): Fate {
  if (kind === 'held') return { kind: 'wait', delayMs: 0 };
  if (kind === 'outage') return { kind: 'wait', delayMs: outageDelayMs(delaysMs) };
  const delayMs = delaysMs[failuresBefore];
  if (kind === 'final' || delayMs === undefined) return { kind: 'give up' };
  return { kind: 'retry', delayMs: Math.max(delayMs, retryAfterMs ?? 0) };
}

const mostOutageDelayMs = 60_000;

function outageDelayMs([first = mostOutageDelayMs]: readonly number[]): number {
  return Math.min(first, mostOutageDelayMs);
}

/** Crashes count as failures: a job that kills its process does not do so for ever. */
export function isSpent({ failures }: Job, delaysMs: readonly number[]): boolean {
  return failures > delaysMs.length;
}

/**
 * The key in storage of a file that the holder of a lease writes. The job's record holds the lease before the file is
 * there, so that what a crash leaves is found by whoever takes the job over.
 */
export function fileKey(leaseId: string, jobId: string, part: 'raw' | 'document'): string {
  return createHash('sha256').update(`${leaseId}\n${jobId}\n${part}`).digest('base64url');
}

export function fileKeysOf({ id, abandoned }: Pick<Job, 'id' | 'abandoned'>): string[] {
  return abandoned.flatMap((leaseId) => [fileKey(leaseId, id, 'raw'), fileKey(leaseId, id, 'document')]);
}

type Settled = { result: FeedbackSettled['result']; reason: string | null; at: Date };

export function feedbackSettled(request: FeedbackRequested, { result, reason, at }: Settled): NewEvent {
  const { invoice_id, client_id, link_version, outcome } = request;
  const settled = { invoice_id, client_id, link_version, outcome, result, reason: reason?.slice(0, 1_000) ?? null };
  return invoiceFeedbackSettled({ ...settled, at: at.toISOString() }, at);
}
