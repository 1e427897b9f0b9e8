import { type LocationSnapshot, locationChanged, type NewEvent } from '@app/contracts';
import type { Location, Referential } from './referential.ts';

/** A referential at one of its versions; `facturation_name` is the name of a location's billing location in its last event. */
export type Versioned = Referential & { version: number; facturation_name?: string | null };

/** The location as other services keep it in their projections. */
export function locationSnapshot(
  location: Location & Pick<Versioned, 'version' | 'facturation_name'>,
): LocationSnapshot {
  const { _id, version, client_id, name, reference, address, deleted_at, parent_id } = location;
  return {
    id: _id,
    version,
    client_id,
    name,
    reference,
    postal_code: address?.postalCode ?? null,
    facturation_name: location.facturation_name ?? null,
    deleted: deleted_at !== null,
    ...(parent_id ? { parent_id } : {}),
  };
}

/**
 * The event of a change, or of a new location (`before` null); none if the snapshot is the same as before. A new billing
 * location always has an event, since this service has its name checked by it.
 */
export function locationSnapshotEvents(before: Versioned | null, after: Versioned, at: Date): NewEvent[] {
  if (after.kind !== 'location') return [];
  const snapshot = locationSnapshot(after);
  if (before?.kind === 'location') {
    const former = locationSnapshot({ ...before, version: after.version });
    const sameBilling = before.location_facturation_id === after.location_facturation_id;
    if (sameBilling && JSON.stringify(former) === JSON.stringify(snapshot)) return [];
  }
  return [locationChanged({ location: snapshot }, at, snapshot.id)];
}
