// What makes an endpoint failing, and who is told: services/webhook-dispatcher/README.md
import { type Attempt, type AttemptError, describeError } from '../attempt.ts';

/** What is wrong with an endpoint, since when, and the attempt that showed it. */
export type HealthIssue = {
  status: 'failing' | 'disabled';
  since: Date;
  error: AttemptError | null;
  statusCode: number | null;
};

/** `disabled`: by this service. An endpoint that its company made inactive is `ok`. */
export const healthValues = ['ok', 'failing', 'disabled'] as const;

/**
 * An e-mail about a health issue that the company is still to get. It is stored in the endpoint, by
 * the write that stores the issue.
 */
export type Alert = { id: string; at: Date; dueAt: Date; tries: number };

export function healthIssue(status: HealthIssue['status'], since: Date, attempt: Attempt): HealthIssue {
  return { status, since, error: attempt.error, statusCode: attempt.statusCode };
}

/** The fields of an endpoint's view that say whether its events arrive. */
export function healthResponse(endpoint: { healthIssue?: HealthIssue; disabledReason: string | null }) {
  const { healthIssue: issue, disabledReason } = endpoint;
  if (issue) return { health: issue.status, healthSince: issue.since.toISOString(), lastError: describeError(issue) };
  return { health: disabledReason === null ? 'ok' : 'disabled', healthSince: null, lastError: null };
}
