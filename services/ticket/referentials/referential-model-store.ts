import { addOutbox, type WithOutbox } from '@app/messaging';
import { Schema } from 'mongoose';
import type { Referential } from './referential.ts';

/** `held` counts changes among the children: deleting a parent and adding to it conflict, so that no orphan is made. */
export type StoredReferential = Referential &
  WithOutbox & { held?: number; version?: number; facturation_name?: string | null };

/** What the store keeps for itself. */
export const hidden = { held: 0, version: 0, facturation_name: 0, outbox: 0 } as const;

export const referentialSchema = new Schema<StoredReferential>(
  {
    _id: { type: String, required: true },
    client_id: { type: String, required: true },
    kind: { type: String, required: true },
    name: Schema.Types.Mixed,
    parent_id: String,
    reference: String,
    address: Schema.Types.Mixed,
    location_facturation_id: String,
    target: String,
    deleted_at: Date,
    held: Number,
    version: Number,
    facturation_name: String,
  },
  { versionKey: false, collection: 'referentials', minimize: false },
);
addOutbox(referentialSchema as unknown as Schema);
const named = (field: string) => ({ partialFilterExpression: { [field]: { $gt: '' } } });
referentialSchema.index(
  { client_id: 1, kind: 1, _id: 1 },
  { name: 'live', partialFilterExpression: { deleted_at: null } },
);
referentialSchema.index({ client_id: 1, parent_id: 1 }, { name: 'children', ...named('parent_id') });
referentialSchema.index(
  { client_id: 1, location_facturation_id: 1 },
  { name: 'billing', ...named('location_facturation_id') },
);
