// What makes an endpoint failing, and who is told: services/webhook-dispatcher/README.md
import { type NewEvent, notification } from '@app/contracts';
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

export function healthIssue(status: HealthIssue['status'], since: Date, attempt: Attempt): HealthIssue {
  return { status, since, error: attempt.error, statusCode: attempt.statusCode };
}

type Named = { id: string; companyId: string; name: string; url: string };

/**
 * Tells who may manage webhooks of an endpoint that is failing or disabled, since webhooks cannot. It names the host and never the whole
 * URL, whose path may hold a secret of the receiver.
 */
export function endpointFails({ id, companyId, name: text, url }: Named, { status, since }: HealthIssue): NewEvent {
  // Endpoints belong to no place, so that nobody who is limited to places gets it.
  const to = { permission: 'api_webhooks' as const, manager_ids: [], place_ids: [] };
  const key = `endpoint:${id}:${status}:${since.toISOString()}`;
  const endpoint = { id, host: new URL(url).host };
  return notification({ company_id: companyId, kind: 'endpoint_fails', key, to, endpoint, text }, since);
}

/** The fields of an endpoint's view that say whether its events arrive. */
export function healthResponse(endpoint: { healthIssue?: HealthIssue; disabledReason: string | null }) {
  const { healthIssue: issue, disabledReason } = endpoint;
  if (issue) return { health: issue.status, healthSince: issue.since.toISOString(), lastError: describeError(issue) };
  return { health: disabledReason === null ? 'ok' : 'disabled', healthSince: null, lastError: null };
}
