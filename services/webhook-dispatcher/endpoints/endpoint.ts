import { randomBytes } from 'node:crypto';
import { publicName, webhookEventTypes } from '@app/contracts';
import { type HealthIssue, healthView } from './endpoint-health.ts';

/** Where the events of a company go. */
export type Endpoint = {
  id: string;
  companyId: string;
  name: string;
  url: string;
  events: string[];
  active: boolean;
  consecutiveFailures: number;
  disabledReason: string | null;
  healthIssue?: HealthIssue;
  /** How often it was made active again, absent for never. Distinguishes deliveries that wait since then from earlier ones. */
  enablings?: number;
  createdAt: Date;
  updatedAt: Date;
};

/** With its secret, encrypted: for signing. */
export type EndpointWithSecret = Endpoint & { sealedSecret: string };

export type EndpointInput = { name: string; url: string; events: string[] };
export type EndpointPatch = Partial<EndpointInput & { active: boolean }>;

/** The event types that an endpoint may subscribe to. */
export const subscribableEvents: readonly string[] = webhookEventTypes.map(({ type }) => publicName(type));

/** Endpoints of a company. */
export const maxEndpoints = 10;

/** Exhausted deliveries in a row that disable an endpoint. */
export const disableAfter = 10;
export const disabledReason = `${disableAfter} deliveries in a row exhausted their retries`;

/** `whsec_` and 32 random bytes. The whole text is the key of the HMAC. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}

/** The endpoint as the API gives it, without its secret. */
export function endpointView(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    name: endpoint.name,
    url: endpoint.url,
    events: endpoint.events,
    active: endpoint.active,
    consecutiveFailures: endpoint.consecutiveFailures,
    disabledReason: endpoint.disabledReason,
    ...healthView(endpoint),
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}
