import Joi from 'joi';
import { defineEvent } from './define-event.ts';
import { id } from './fields.ts';

export const snapshotKinds = ['companies', 'users', 'contractors', 'locations', 'tickets', 'purchases'] as const;
export type SnapshotKind = (typeof snapshotKinds)[number];

/**
 * Asks the owner of `kind` to publish all its facts again (a keeper of copies starts anew), from after the id `after` on.
 * The owner publishes one page of them and then asks itself for the next: what a crash interrupts goes on from there.
 */
export type SnapshotsRequested = { request_id: string; kind: SnapshotKind; after: string | null };

export const snapshotsRequested = defineEvent<SnapshotsRequested>(
  'facts.requested.v1',
  Joi.object<SnapshotsRequested, true>({
    request_id: Joi.string().required(),
    kind: Joi.string<SnapshotKind>()
      .valid(...snapshotKinds)
      .required(),
    after: id.allow(null).required(),
  }),
);
