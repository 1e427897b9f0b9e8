import { randomBytes } from 'node:crypto';
import { healthView, type Trouble } from './health.ts';

/** A company's subscription: where its events go. The secret is kept apart (endpoint-store.ts), sealed. */
export type Endpoint = {
  id: string;
  companyId: string;
  name: string;
  url: string;
  events: string[];
  active: boolean;
  consecutiveFailures: number;
  disabledReason: string | null;
  trouble?: Trouble;
  /** How often it was made active again; absent where never. Tells what waits since then from what waited before. */
  enablings?: number;
  createdAt: Date;
  updatedAt: Date;
};

export type EndpointInput = { name: string; url: string; events: string[] };
export type EndpointPatch = Partial<EndpointInput & { active: boolean }>;

/** The types that an endpoint may subscribe to: all of spec section 6.1 that come from tickets. */
export const subscribableEvents = [
  'ticket.status_changed',
  'ticket.quote_added',
  'ticket.invoice_added',
  'ticket.visit_date_added',
  'ticket.intervention_date_added',
  'ticket.document_added',
  'ticket.report_added',
  'ticket.message_added',
  'ticket.purchase_added',
] as const;

/** Endpoints of a company (spec section 8). */
export const maxEndpoints = 10;

/** Exhausted deliveries in a row that disable an endpoint (spec section 6.5). */
export const disableAfter = 10;
export const disabledReason = `${disableAfter} deliveries in a row exhausted their retries`;

/** `whsec_` and 32 random bytes; shown once, and whole the key of the HMAC. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}

/** The endpoint as the API gives it (spec section 2.6, and its health), without its secret. */
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
