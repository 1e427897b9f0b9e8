import type Joi from 'joi';

/** What a rule returns: a fact not yet sealed into an envelope. `time` is an ISO date. */
export type NewEvent<T = unknown> = { type: string; time: string; subject?: string; data: T };

/** A CloudEvents 1.0 event in structured JSON (design section 2), as it travels on the broker. */
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

/** An event type: called with data and a time it makes the event; `schema` is what a consumer checks. */
export type EventType<T = unknown> = {
  (data: T, at: Date, subject?: string): NewEvent<T>;
  readonly type: string;
  readonly schema: Joi.ObjectSchema<T>;
};

/**
 * Declares an event type, versioned in its name (`ticket.status_changed.v1`).
 * The schema is strict here, where the owner writes; consumers read with unknown fields allowed, so that
 * adding an optional field is free.
 */
export function defineEvent<T>(type: `${string}.v${number}`, schema: Joi.ObjectSchema<T>): EventType<T> {
  const create = (data: T, at: Date, subject?: string): NewEvent<T> => ({
    type,
    time: at.toISOString(),
    ...(subject === undefined ? {} : { subject }),
    data,
  });
  return Object.assign(create, { type, schema });
}

/** The name without its version: what subscribers of webhooks see (spec section 6.1). */
export function publicName(type: string): string {
  return type.replace(/\.v\d+$/, '');
}
