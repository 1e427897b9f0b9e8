import Joi from 'joi';
import { defineEvent } from './define-event.ts';
import { id } from './fields.ts';

export const factKinds = ['companies', 'users', 'contractors', 'locations', 'tickets', 'purchases'] as const;
export type FactKind = (typeof factKinds)[number];

/**
 * Asks the owner of `kind` to publish all its facts again (a keeper of copies starts anew), from after the id `after` on.
 * The owner publishes one page of them and then asks itself for the next: what a crash interrupts goes on from there.
 */
export type FactsRequested = { request_id: string; kind: FactKind; after: string | null };

export const factsRequested = defineEvent<FactsRequested>(
  'facts.requested.v1',
  Joi.object<FactsRequested, true>({
    request_id: Joi.string().required(),
    kind: Joi.string<FactKind>()
      .valid(...factKinds)
      .required(),
    after: id.allow(null).required(),
  }),
);
