import { type LocationSnapshot, locationChanged, type NewEvent } from '@app/contracts';
import type { Location, Referential } from './referential.ts';

/** A referential at one of its versions; `facturation_name` is that of a location's billing location, as told last. */
export type Versioned = Referential & { version: number; facturation_name?: string | null };

/** A location as matching needs it. */
export function locationSnapshot(
  location: Location & Pick<Versioned, 'version' | 'facturation_name'>,
): LocationSnapshot {
  const { _id, version, client_id, name, reference, address, deleted_at } = location;
  return {
    id: _id,
    version,
    client_id,
    name,
    reference,
    postal_code: address?.postalCode ?? null,
    facturation_name: location.facturation_name ?? null,
    deleted: deleted_at !== null,
  };
}

/**
 * What keepers of copies are told of a change, or of a new location (`before` null): nothing where its facts stayed. Where
 * it is billed at another location it is told in any case, since its event also has the name of that one checked.
 */
export function locationSnapshotEvents(before: Versioned | null, after: Versioned, at: Date): NewEvent[] {
  if (after.kind !== 'location') return [];
  const facts = locationSnapshot(after);
  if (before?.kind === 'location') {
    const former = locationSnapshot({ ...before, version: after.version });
    const sameBilling = before.location_facturation_id === after.location_facturation_id;
    if (sameBilling && JSON.stringify(former) === JSON.stringify(facts)) return [];
  }
  return [locationChanged({ location: facts }, at, facts.id)];
}
