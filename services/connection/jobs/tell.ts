import { type Feedback, type KnownProvider, type ProviderClient, ProviderError } from '@app/providers';
import { type FeedbackJob, feedbackSettled } from './job.ts';
import type { Done, JobStore } from './job-store.ts';

type Deps = { jobs: Pick<JobStore, 'rivalsOf'>; now: () => Date };
type Telling = { job: FeedbackJob; client: ProviderClient; known: KnownProvider; signal: AbortSignal };

/** What a feedback ends with is kept for a year: it is told once for each link, however late the request comes again. */
const keptMs = 365 * 24 * 3_600_000;

/**
 * Tells the provider what became of an invoice. Of two outcomes of one invoice the newer one counts: an older one that is
 * still waiting is not sent any more, and a newer one waits while an older one is on its way.
 * @throws ProviderError
 */
export async function tellProvider({ jobs, now }: Deps, { job, client, known, signal }: Telling): Promise<Done> {
  const { newer, olderUnderWay } = await jobs.rivalsOf(job);
  if (newer) return settled(job, 'a later outcome took its place', now());
  if (!known.provider.capabilities.feedback) return settled(job, 'this provider takes no feedback', now());
  if (olderUnderWay) throw new ProviderError('transient', 'an older outcome is still being sent');
  await client.sendFeedback(feedbackOf(job), signal);
  return settled(job, null, now());
}

function feedbackOf({ request }: FeedbackJob): Feedback {
  const { external_id: externalId, outcome, ticket, po_ref: poRef, told_before: before = [] } = request;
  return {
    externalId,
    outcome,
    ticket,
    poRef,
    toldBefore: before.map((told) => ({ ticket: told.ticket, poRef: told.po_ref })),
  };
}

/** @param failure why it is not told; null where it was */
export function settled({ request }: Pick<FeedbackJob, 'request'>, failure: string | null, at: Date): Done {
  const result = failure === null ? ('sent' as const) : ('failed' as const);
  const event = feedbackSettled(request, { result, reason: failure, at });
  return { events: [event], keptUntil: new Date(at.getTime() + keptMs) };
}
