import type Joi from 'joi';

/** An event as a rule returns it, without its envelope. `time` is an ISO date. */
export type NewEvent<T = unknown> = { type: string; time: string; subject?: string; data: T };

/** A CloudEvents 1.0 event in structured JSON, as it is published. */
export type DomainEvent<T = unknown> = {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject?: string;
  time: string;
  datacontenttype: 'application/json';
  data: T;
  traceparent?: string;
  requestid?: string;
};

/** An event type: called with data and a time, it creates an event. Consumers check data against `schema`. */
export type EventType<T = unknown> = {
  (data: T, at: Date, subject?: string): NewEvent<T>;
  readonly type: string;
  readonly schema: Joi.ObjectSchema<T>;
};

/**
 * Declares an event type, versioned in its name (`ticket.status_changed.v1`).
 * The schema is strict for the owner; consumers allow unknown fields, so that an optional field can be added at any time.
 */
export function defineEvent<T>(type: `${string}.${string}.v${number}`, schema: Joi.ObjectSchema<T>): EventType<T> {
  const create = (data: T, at: Date, subject?: string): NewEvent<T> => ({
    type,
    time: at.toISOString(),
    ...(subject === undefined ? {} : { subject }),
    data,
  });
  return Object.assign(create, { type, schema });
}

/** The name without its version, as webhook subscribers see it. */
export function publicName(type: string): string {
  return type.replace(/\.v\d+$/, '');
}
