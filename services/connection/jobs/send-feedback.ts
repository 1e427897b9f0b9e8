// Why it is so: docs/decisions/what-the-supplier-is-told.md
import { type FeedbackRequested, invoiceFeedbackSettled } from '@app/contracts';
import {
  type ConfiguredProvider,
  type Feedback,
  type FeedbackResult,
  type ProviderClient,
  ProviderError,
} from '@app/providers';
import type { FeedbackJob, SentMessage } from './job.ts';
import type { JobOutcome, JobStore } from './job-store.ts';

type Deps = { jobs: Pick<JobStore, 'findCompetingFeedback'>; now: () => Date };
type Attempt = { job: FeedbackJob; client: ProviderClient; configured: ConfiguredProvider; signal: AbortSignal };

/** A finished feedback is kept for a year, so that a request redelivered late is not sent to the provider again. */
const keepMs = 365 * 24 * 3_600_000;
const maxReasonLength = 1_000;
const acknowledgedWithinMs = 7 * 24 * 3_600_000;

/** Feedback must wait for an older outcome of its invoice. */
export class OlderInProgress extends Error {
  override readonly name = 'OlderInProgress';
}

/** The message is sent, and the provider has not said yet whether it accepts it. */
export class Unacknowledged extends Error {
  override readonly name = 'Unacknowledged';
  readonly sent: SentMessage;

  constructor(sent: SentMessage) {
    super('the provider has not said yet whether it accepts the message');
    this.sent = sent;
  }
}

/**
 * Reports an outcome to the provider. A link or a refusal that still waits is dropped for a later one; any other status is a message of
 * its own. They are sent in the order in which they were requested: a later one waits while an older one is being sent.
 * @throws ProviderError, OlderInProgress, Unacknowledged
 */
export async function sendFeedback(
  { jobs, now }: Deps,
  { job, client, configured, signal }: Attempt,
): Promise<JobOutcome> {
  const { request, sent } = job;
  const { newer, olderInProgress } = await jobs.findCompetingFeedback(job);
  if (newer && sent === null) return feedbackOutcome(request, 'a later outcome took its place', now());
  if (!takes(configured, request)) return feedbackOutcome(request, 'this provider takes no such feedback', now());
  if (olderInProgress) throw new OlderInProgress('an older outcome is still being sent');
  const result = await report(client, { job, signal });
  if (result.state === 'accepted') return feedbackOutcome(request, null, now());
  const at = sent?.at ?? now();
  if (now().getTime() - at.getTime() >= acknowledgedWithinMs) {
    return feedbackOutcome(request, 'the provider has not acknowledged the message within a week', now());
  }
  throw new Unacknowledged({ reference: result.reference ?? sent?.reference ?? null, at });
}

function takes({ provider }: ConfiguredProvider, { outcome, ticket }: FeedbackRequested): boolean {
  const { statuses, reversal } = provider.capabilities;
  if (outcome !== 'reversed') return statuses[outcome] !== undefined;
  return ticket === null ? reversal : statuses.taken_in_charge !== undefined;
}

/** What was sent is not sent again: while the provider cannot say what came of it, it is asked later. */
async function report(
  client: ProviderClient,
  { job, signal }: Pick<Attempt, 'job' | 'signal'>,
): Promise<FeedbackResult> {
  const reference = job.sent?.reference ?? null;
  try {
    return await client.sendFeedback(feedbackOf(job.request, reference), signal);
  } catch (error) {
    const isUnknown = error instanceof ProviderError && ['transient', 'not_found'].includes(error.kind);
    if (job.sent === null || !isUnknown || signal.aborted) throw error;
    return { state: 'waiting', reference };
  }
}

function feedbackOf(request: FeedbackRequested, reference: string | null): Feedback {
  const { external_id: externalId, outcome, ticket, po_ref: poRef, details, key, earlier_links: before } = request;
  const reportedBefore = before.map((link) => ({ ticket: link.ticket, poRef: link.po_ref }));
  const at = new Date(request.asked_at);
  return { externalId, outcome, ticket, poRef, details, at, key, reference, reportedBefore };
}

/**
 * @param failure why the outcome was not sent; null if it was
 * @param refused whether the provider has seen it and did not accept it
 * @param unsendable whether no message about the invoice can reach its supplier
 */
export function feedbackOutcome(
  request: FeedbackRequested,
  failure: string | null,
  at: Date,
  { refused = false, unsendable = false } = {},
): JobOutcome {
  const { invoice_id, client_id, link_version, outcome } = request;
  const result = failure === null ? ('sent' as const) : ('failed' as const);
  const reason = failure?.slice(0, maxReasonLength) ?? null;
  const told = { result, refused, ...(unsendable && { unsendable }), reason, at: at.toISOString() };
  const settled = { invoice_id, client_id, link_version, outcome, ...told };
  return { events: [invoiceFeedbackSettled(settled, at)], expiresAt: new Date(at.getTime() + keepMs) };
}
