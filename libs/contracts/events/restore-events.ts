import Joi from 'joi';
import { defineEvent } from '../define-event.ts';
import { id, isoDate } from '../fields.ts';

/**
 * The database of `service` was replaced by an older state. Every version in it is at least `epoch` now; no event published
 * before the restore had a version that high. Nothing that was written before `since` is lost.
 */
export type Restore = { restore_id: string; service: string; epoch: number; since: string };

const restoreFields = {
  restore_id: Joi.string().required(),
  service: Joi.string().required(),
  epoch: Joi.number().integer().min(1).required(),
  since: isoDate.required(),
};

/**
 * Asks the service `to` for one page, from after `after`, of a task that follows from a restore. It then asks itself for the
 * next page, so that a crash repeats one page at most.
 */
export type RestoreTaskRequested = Restore & { to: string; task: string; after: string | null };

export const restoreTaskRequested = defineEvent<RestoreTaskRequested>(
  'restore.task_requested.v1',
  Joi.object<RestoreTaskRequested, true>({
    ...restoreFields,
    to: Joi.string().required(),
    task: Joi.string().required(),
    after: Joi.string().allow(null).required(),
  }),
);

/** Something of another service that is known here; `label` is what people call it, `within` the id of what it belongs to. */
export type KnownThing = { id: string; label: string; within: string | null };

const things = Joi.array<KnownThing[]>()
  .items(
    Joi.object<KnownThing, true>({
      id: id.required(),
      label: Joi.string().allow('').required(),
      within: id.allow(null).required(),
    }),
  )
  .required();

/** `asked_by` knows these things of the restored service, and asks whether they still exist there. */
export type RestoreExistenceAsked = Restore & { asked_by: string; kind: string; things: KnownThing[] };

export const restoreExistenceAsked = defineEvent<RestoreExistenceAsked>(
  'restore.existence_asked.v1',
  Joi.object<RestoreExistenceAsked, true>({
    ...restoreFields,
    asked_by: Joi.string().required(),
    kind: Joi.string().required(),
    things,
  }),
);

/** The restored service does not have these things, which were asked for: they belong to what was lost. */
export type RestoreLossFound = Restore & { kind: string; things: KnownThing[] };

export const restoreLossFound = defineEvent<RestoreLossFound>(
  'restore.loss_found.v1',
  Joi.object<RestoreLossFound, true>({ ...restoreFields, kind: Joi.string().required(), things }),
);
