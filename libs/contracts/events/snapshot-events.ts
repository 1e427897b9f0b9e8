// Each carries the whole thing with a version, so that an event that comes late has no effect.
import Joi from 'joi';
import { defineEvent } from '../define-event.ts';
import { id, oneOf } from '../fields.ts';

export const snapshotKinds = ['companies', 'users', 'contractors', 'locations', 'tickets', 'purchases'] as const;
export type SnapshotKind = (typeof snapshotKinds)[number];

/**
 * Asks the owner of `kind` to publish all its snapshots again, from after the id `after`, for a service that rebuilds a projection.
 * The owner publishes one page and then asks itself for the next, so that a crash repeats one page at most.
 */
export type SnapshotsRequested = { request_id: string; kind: SnapshotKind; after: string | null };

export const snapshotsRequested = defineEvent<SnapshotsRequested>(
  'snapshots.requested.v1',
  Joi.object<SnapshotsRequested, true>({
    request_id: Joi.string().required(),
    kind: oneOf(snapshotKinds).required(),
    after: id.allow(null).required(),
  }),
);
