import { type FieldError, searchWords } from '@app/kernel';
import type { StoredFile } from '../tickets/ticket.ts';

/** Reference data of a client; tickets and contractors refer to it by id. */
export type ReferentialKind = 'location' | 'equipment' | 'job' | 'domain' | 'custom_field';

export type Address = {
  postalCode: string | null;
  country: string | null;
  city: string | null;
  route: string | null;
  streetNumber: string | null;
  fullAddress: string | null;
  zone: string | null;
  lat: number | null;
  lng: number | null;
};

/** What a custom field may be used for; null: for both. */
export type FieldTarget = 'ticket' | 'contractor';
export type FieldName = { fr: string; en: string };

type Common<Kind extends ReferentialKind> = { _id: string; client_id: string; kind: Kind; deleted_at: Date | null };
type Named = { name: string };
type Nested = Named & { parent_id: string | null };
/** For the page of a place or of equipment; tickets do not show it. */
type Pictured = { photo?: StoredFile | null };
export type Location = Common<'location'> &
  Nested &
  Pictured & { reference: string | null; address: Address | null; location_facturation_id: string | null };
/** What is known of equipment; days are `YYYY-MM-DD`. */
export type EquipmentFacts = {
  location_id: string | null;
  serial_number: string | null;
  make: string | null;
  in_service_since: string | null;
  warranty_until: string | null;
};
export type Equipment = Common<'equipment'> & Nested & Pictured & EquipmentFacts;
export type CustomField = Common<'custom_field'> & { name: FieldName; target: FieldTarget | null };
export type Referential = Location | Equipment | (Common<'job'> & Named) | (Common<'domain'> & Nested) | CustomField;

/** The validated fields of a request. */
export type ReferentialInput = {
  name?: string | FieldName;
  parent_id?: string | null;
  reference?: string | null;
  address?: Partial<Address> | null;
  location_facturation_id?: string | null;
  target?: FieldTarget | null;
} & Partial<EquipmentFacts>;

/** Levels of a tree, including the root: bounds every walk up or down. */
export const maxDepth = 20;

const blank: Record<ReferentialKind, ReferentialInput> = {
  location: { parent_id: null, reference: null, address: null, location_facturation_id: null },
  equipment: {
    parent_id: null,
    location_id: null,
    serial_number: null,
    make: null,
    in_service_since: null,
    warranty_until: null,
  },
  job: {},
  domain: { parent_id: null },
  custom_field: { target: null },
};

export const blankAddress: Address = {
  postalCode: null,
  country: null,
  city: null,
  route: null,
  streetNumber: null,
  fullAddress: null,
  zone: null,
  lat: null,
  lng: null,
};

type Identity = { _id: string; client_id: string; kind: ReferentialKind };

export function createReferential(identity: Identity, input: ReferentialInput): Referential {
  return { ...identity, ...blank[identity.kind], ...changesOf(input), deleted_at: null } as Referential;
}

/** The search words. */
export function wordsOfReferential(one: Referential): string[] {
  if (one.kind === 'custom_field') return searchWords(one.name.fr, one.name.en);
  if (one.kind === 'location') return searchWords(one.name, one.reference, one.address?.city);
  return one.kind === 'equipment' ? searchWords(one.name, one.serial_number, one.make) : searchWords(one.name);
}

/** The fields that a change writes: those sent. An address is replaced as a whole. */
export function changesOf({ address, ...rest }: ReferentialInput): ReferentialInput {
  if (address === undefined) return rest;
  return { ...rest, address: address === null ? null : { ...blankAddress, ...address } };
}

const namingFields = ['parent_id', 'location_facturation_id', 'location_id'] as const;
type NamingField = (typeof namingFields)[number];

/** The ids in a request that must be checked: those that differ from the stored ones. */
export function namedBy(input: ReferentialInput, current?: Referential): Map<NamingField, string> {
  const had: ReferentialInput = current ?? {};
  const named = namingFields.flatMap((path) => {
    const id = input[path];
    return typeof id === 'string' && id !== had[path] ? [[path, id] as const] : [];
  });
  return new Map(named);
}

/** Faults of these ids: each must be another live referential of the client, of the same kind; `location_id` a location. */
export function namingFaults(
  { _id, kind, client_id }: Identity,
  named: Map<string, string>,
  found: Referential[],
): FieldError[] {
  return [...named].flatMap(([path, id]) => {
    if (id === _id) return [{ path, message: `${path} names the ${kind} itself` }];
    const wanted = path === 'location_id' ? 'location' : kind;
    const live = found.some(
      (one) => one._id === id && one.kind === wanted && one.client_id === client_id && one.deleted_at === null,
    );
    return live ? [] : [{ path, message: `${path} is no ${wanted} of yours` }];
  });
}

/** Ids of referentials that a ticket or a contractor refers to, by kind. */
export type ReferentialIds = {
  location_ids?: readonly string[] | undefined;
  equipment_ids?: readonly string[] | undefined;
  job_ids?: readonly string[] | undefined;
  domain_ids?: readonly string[] | undefined;
  /** Of custom fields, in the order of the request's `fields`. */
  field_ids?: readonly string[] | undefined;
};

/** For each list of ids: its kind, and the path in the request of an item. */
const idLists = {
  location_ids: { kind: 'location', path: (index: number) => `location_ids.${index}` },
  equipment_ids: { kind: 'equipment', path: (index: number) => `equipment_ids.${index}` },
  job_ids: { kind: 'job', path: (index: number) => `job_ids.${index}` },
  domain_ids: { kind: 'domain', path: (index: number) => `domain_ids.${index}` },
  field_ids: { kind: 'custom_field', path: (index: number) => `fields.${index}.field_id` },
} as const;
type IdList = keyof typeof idLists;

/** Faults of ids that are not among `found` (the client's referentials), are deleted, or are custom fields not for `target`. */
export function idFaults(ids: ReferentialIds, found: Referential[], target: FieldTarget): FieldError[] {
  const byId = new Map(found.map((one) => [one._id, one]));
  return (Object.keys(idLists) as IdList[]).flatMap((list) =>
    (ids[list] ?? []).flatMap((id, index) => {
      const path = idLists[list].path(index);
      const one = byId.get(id);
      if (one?.kind !== idLists[list].kind || one.deleted_at !== null) {
        return [{ path, message: `${path} is no ${idLists[list].kind.replace('_', ' ')} of this client` }];
      }
      const elsewhere = one.kind === 'custom_field' && one.target !== null && one.target !== target;
      return elsewhere ? [{ path, message: `${path} is a custom field for ${one.target}s` }] : [];
    }),
  );
}

export function allIds(ids: ReferentialIds): string[] {
  return [...new Set((Object.keys(idLists) as IdList[]).flatMap((list) => ids[list] ?? []))];
}
