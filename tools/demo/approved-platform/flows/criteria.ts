import { HttpError } from '../../fake-server/http-server.ts';
import { ackStatuses, directions, type Flow, flowTypes, processingRules } from '../flow.ts';

/** Criteria of a search, or of a subscription, by name: a flow meets all, and of a list one. */
export type Where = Record<string, unknown>;

type Criterion = { isValid: (value: unknown) => boolean; meets: (flow: Flow, value: never) => boolean };

const criteria: Record<string, Criterion> = {
  updatedAfter: {
    isValid: isMoment,
    meets: ({ updatedAt }, value: string) => Date.parse(updatedAt) > Date.parse(value),
  },
  updatedBefore: {
    isValid: isMoment,
    meets: ({ updatedAt }, value: string) => Date.parse(updatedAt) < Date.parse(value),
  },
  processingRule: listOf(processingRules, ({ processingRule }) => processingRule),
  flowType: listOf(flowTypes, ({ flowType }) => flowType),
  flowDirection: listOf(directions, ({ flowDirection }) => flowDirection),
  trackingId: {
    isValid: (value) => typeof value === 'string' && value.length <= 64,
    meets: ({ trackingId }, value: string) => trackingId === value,
  },
  ackStatus: {
    isValid: (value) => ackStatuses.includes(value as string),
    meets: ({ acknowledgement }, value: string) => acknowledgement.status === value,
  },
};

/** @throws HttpError 400 unless these are criteria with values of theirs */
export function checkWhere(where: unknown): asserts where is Where {
  if (typeof where !== 'object' || where === null) throw invalid('where is required');
  for (const [name, value] of Object.entries(where)) {
    if (!Object.hasOwn(criteria, name)) throw invalid(`there is no criterion ${name}`);
    if (!criteria[name]?.isValid(value)) throw invalid(`${name} has no such value`);
  }
}

export function meets(flow: Flow, where: Where): boolean {
  return Object.entries(where).every(([name, value]) => criteria[name]?.meets(flow, value as never));
}

export function invalid(message: string): HttpError {
  return new HttpError(400, 'INVALID_REQUEST', message);
}

function listOf(allowed: readonly string[], of: (flow: Flow) => string): Criterion {
  return {
    isValid: (value) => Array.isArray(value) && value.every((one) => allowed.includes(one)),
    meets: (flow, value: string[]) => value.length === 0 || value.includes(of(flow)),
  };
}

/** A date and time of RFC 3339. */
function isMoment(value: unknown): boolean {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
  return typeof value === 'string' && form.test(value) && !Number.isNaN(Date.parse(value));
}
