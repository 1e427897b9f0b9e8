// What each provider is told: libs/providers/README.md
import { type FeedbackRequested, invoiceFeedbackSettled } from '@app/contracts';
import type { ConfiguredProvider, Feedback, ProviderClient } from '@app/providers';
import type { FeedbackJob } from './job.ts';
import type { JobOutcome, JobStore } from './job-store.ts';

type Deps = { jobs: Pick<JobStore, 'findCompetingFeedback'>; now: () => Date };
type Attempt = { job: FeedbackJob; client: ProviderClient; configured: ConfiguredProvider; signal: AbortSignal };

/** A finished feedback is kept for a year, so that a request redelivered late is not sent to the provider again. */
const keepMs = 365 * 24 * 3_600_000;
const maxReasonLength = 1_000;

/** Feedback must wait for an older outcome of its invoice. */
export class OlderInProgress extends Error {
  override readonly name = 'OlderInProgress';
}

/**
 * Reports an outcome to the provider. Only the newest outcome of an invoice is sent: an older one that still waits is
 * dropped, and a newer one waits while an older one is being sent.
 * @throws ProviderError, OlderInProgress
 */
export async function sendFeedback(
  { jobs, now }: Deps,
  { job, client, configured, signal }: Attempt,
): Promise<JobOutcome> {
  const { newer, olderInProgress } = await jobs.findCompetingFeedback(job);
  if (newer) return feedbackOutcome(job.request, 'a later outcome took its place', now());
  if (!configured.provider.capabilities.feedback) {
    return feedbackOutcome(job.request, 'this provider takes no feedback', now());
  }
  if (job.request.refusal && !configured.provider.capabilities.refusal) {
    return feedbackOutcome(job.request, 'this provider takes no refusals', now());
  }
  if (olderInProgress) throw new OlderInProgress('an older outcome is still being sent');
  await client.sendFeedback(feedbackOf(job.request), signal);
  return feedbackOutcome(job.request, null, now());
}

function feedbackOf(request: FeedbackRequested): Feedback {
  const { external_id: externalId, outcome, ticket, po_ref: poRef, refusal, earlier_links: before } = request;
  const reportedBefore = before.map((link) => ({ ticket: link.ticket, poRef: link.po_ref }));
  return { externalId, outcome, ticket, poRef, refusal, reportedBefore };
}

/** @param failure why the outcome was not sent; null if it was */
export function feedbackOutcome(request: FeedbackRequested, failure: string | null, at: Date): JobOutcome {
  const { invoice_id, client_id, link_version, outcome } = request;
  const result = failure === null ? ('sent' as const) : ('failed' as const);
  const reason = failure?.slice(0, maxReasonLength) ?? null;
  const settled = { invoice_id, client_id, link_version, outcome, result, reason, at: at.toISOString() };
  return { events: [invoiceFeedbackSettled(settled, at)], expiresAt: new Date(at.getTime() + keepMs) };
}
