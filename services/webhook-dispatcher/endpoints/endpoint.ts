import { randomBytes } from 'node:crypto';
import type { Caller } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { CustomHeader, SealedHeaders } from './custom-header.ts';
import { type HealthIssue, healthResponse } from './endpoint-health.ts';

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
  /** Absent or null for none. */
  customHeaders?: SealedHeaders | null;
  /** Notes for managers are sent, too: an admin has set this URL. */
  managerNotes?: boolean;
  /**
   * How often it was made active again; absent if never. Distinguishes deliveries that wait since
   * then from earlier ones.
   */
  enablings?: number;
  createdAt: Date;
  updatedAt: Date;
};

/** With its secret, encrypted: for signing. */
export type EndpointWithSecret = Endpoint & { sealedSecret: string };

export type EndpointInput = { name: string; url: string; events: string[] };
/** A change in the form in which it is stored. */
export type EndpointPatch = Partial<
  EndpointInput & { active: boolean; customHeaders: SealedHeaders | null; managerNotes: boolean }
>;

/** The input as callers send it: headers are not sealed yet. */
export type NewEndpointBody = EndpointInput & { headers?: CustomHeader[] };
export type EndpointPatchBody = Partial<EndpointInput & { active: boolean; headers: CustomHeader[] }>;

/** Every event type tells of tickets: its content is for who may read these. */
export function readsContent({ permissions }: Pick<Caller, 'permissions'>): boolean {
  return permissions.includes('tickets') || readsManagerNotes({ permissions });
}

/** Of all tickets; others read those of the tickets that they manage. */
export function readsManagerNotes({ permissions }: Pick<Caller, 'permissions'>): boolean {
  return permissions.includes('admin');
}

/** @throws AppError forbidden */
export function permitContent(caller: Caller): void {
  if (readsContent(caller)) return;
  throw new AppError('forbidden', 'forbidden', 'what webhooks tell of tickets needs the permission tickets, too');
}

/** @throws AppError forbidden */
export function permitManagerNotes(caller: Caller): void {
  if (readsManagerNotes(caller)) return;
  throw new AppError('forbidden', 'forbidden', 'a note for managers is shown here to admins alone');
}

/** The limit of one company. */
export const maxEndpoints = 10;

/** Exhausted deliveries in a row that disable an endpoint. */
export const disableAfter = 10;
export const disabledReason = `${disableAfter} deliveries in a row exhausted their retries`;

/** `whsec_` and 32 random bytes. The whole text is the key of the HMAC. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}

/** The endpoint as the API gives it, without its secret and the values of its headers. */
export function endpointResponse(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    name: endpoint.name,
    url: endpoint.url,
    events: endpoint.events,
    headers: (endpoint.customHeaders?.names ?? []).map((name) => ({ name })),
    active: endpoint.active,
    consecutiveFailures: endpoint.consecutiveFailures,
    disabledReason: endpoint.disabledReason,
    ...healthResponse(endpoint),
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}
