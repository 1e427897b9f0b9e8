import type { StoredFile } from '../tickets/ticket.ts';
import type {
  Address,
  CustomField,
  Equipment,
  EquipmentFacts,
  FieldName,
  FieldTarget,
  Location,
  Referential,
} from './referential.ts';

type BillingResponse = { id: string; name: string; reference: string | null; address: Address | null };
type LocationResponse = {
  _id: string;
  name: string;
  parent_id: string | null;
  reference: string | null;
  address: Address | null;
  location_facturation: BillingResponse | null;
};
type NestedResponse = { _id: string; name: string; parent_id: string | null };
type PhotoResponse = { name: string; mimetype: string; size: number; s3_key: string };
type Pictured = { photo: PhotoResponse | null };
type JobView = { _id: string; name: string };
type CustomFieldResponse = { _id: string; name: FieldName; target: FieldTarget | null };
export type ReferentialResponse =
  | (LocationResponse & Pictured)
  | (NestedResponse & EquipmentFacts & Pictured)
  | NestedResponse
  | JobView
  | CustomFieldResponse;

/** A value given to a custom field, as stored and as shown. */
export type FieldValue = { field_id: string; value: string };
type FieldView = FieldValue & { name: FieldName };

/** The referentials that tickets name, by id, with deleted ones. */
export type Resolved = {
  locations: Map<string, LocationResponse>;
  equipments: Map<string, NestedResponse>;
  jobs: Map<string, JobView>;
  domains: Map<string, NestedResponse>;
  fields: Map<string, CustomFieldResponse>;
};

/** A referential in a reply of its own, with what tickets do not show of it. `known` must include the billing location that it names. */
export function referentialResponse(one: Referential, known: Map<string, Referential>): ReferentialResponse {
  switch (one.kind) {
    case 'location':
      return { ...locationResponse(one, known), photo: photoResponse(one.photo) };
    case 'equipment':
      return equipmentResponse(one);
    case 'job':
      return { _id: one._id, name: one.name };
    case 'custom_field':
      return fieldResponse(one);
    default:
      return nestedResponse(one);
  }
}

/** Groups referentials by kind. */
export function resolved(found: Referential[], known: Map<string, Referential>): Resolved {
  const all: Resolved = {
    locations: new Map(),
    equipments: new Map(),
    jobs: new Map(),
    domains: new Map(),
    fields: new Map(),
  };
  for (const one of found) {
    if (one.kind === 'location') all.locations.set(one._id, locationResponse(one, known));
    else if (one.kind === 'equipment') all.equipments.set(one._id, nestedResponse(one));
    else if (one.kind === 'domain') all.domains.set(one._id, nestedResponse(one));
    else if (one.kind === 'job') all.jobs.set(one._id, { _id: one._id, name: one.name });
    else all.fields.set(one._id, fieldResponse(one));
  }
  return all;
}

/** The views of these ids, in their order. */
export function pick<T>(views: Map<string, T>, ids: readonly string[]): T[] {
  return ids.flatMap((id) => views.get(id) ?? []);
}

/** Values with the names of their fields. */
export function fieldViews(values: readonly FieldValue[], fields: Map<string, CustomFieldResponse>): FieldView[] {
  return values.flatMap(({ field_id, value }) => {
    const field = fields.get(field_id);
    return field ? [{ field_id, name: field.name, value }] : [];
  });
}

function locationResponse(location: Location, known: Map<string, Referential>): LocationResponse {
  const { _id, name, parent_id, reference, address, location_facturation_id } = location;
  const billing = location_facturation_id === null ? undefined : known.get(location_facturation_id);
  return { _id, name, parent_id, reference, address, location_facturation: billingResponse(billing) };
}

function billingResponse(billing: Referential | undefined): BillingResponse | null {
  if (billing?.kind !== 'location') return null;
  return { id: billing._id, name: billing.name, reference: billing.reference, address: billing.address };
}

function nestedResponse({ _id, name, parent_id }: NestedResponse): NestedResponse {
  return { _id, name, parent_id };
}

function equipmentResponse(equipment: Equipment): NestedResponse & EquipmentFacts & Pictured {
  const { location_id, serial_number, make, in_service_since, warranty_until, photo } = equipment;
  const facts = { location_id, serial_number, make, in_service_since, warranty_until };
  return { ...nestedResponse(equipment), ...facts, photo: photoResponse(photo) };
}

function photoResponse(photo: StoredFile | null | undefined): PhotoResponse | null {
  return photo ? { name: photo.name, mimetype: photo.type, size: photo.size, s3_key: photo.key } : null;
}

function fieldResponse({ _id, name, target }: CustomField): CustomFieldResponse {
  return { _id, name, target };
}
