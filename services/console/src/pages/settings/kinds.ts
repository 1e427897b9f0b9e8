import { call, tickets } from '../../api/client.ts';
import type { Page } from '../../api/pages.ts';
import type { CustomField, Entry, EntryInput, Equipment, Place } from './entry.ts';

export const kindNames = ['locations', 'equipments', 'jobs', 'domains', 'custom-fields'] as const;
export type KindName = (typeof kindNames)[number];

type PageQuery = { limit: number; cursor?: string; q?: string };
export type Kind = {
  read: (query: PageQuery, signal: AbortSignal) => Promise<Page<Entry>>;
  create: (input: EntryInput) => Promise<unknown>;
  change: (id: string, input: EntryInput) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
};

const plain = ({ _id, name, parent_id }: { _id: string; name: string; parent_id?: string | null }): Entry => ({
  id: _id,
  name,
  ...(parent_id !== undefined && { parentId: parent_id }),
});

const ofLocation = ({ _id, name, parent_id, reference, address, photo }: Place): Entry => ({
  id: _id,
  name: name ?? '',
  parentId: parent_id,
  reference,
  address,
  photo,
});

const ofEquipment = ({
  photo,
  location_id,
  serial_number,
  make,
  in_service_since,
  warranty_until,
  ...one
}: Equipment) => ({
  ...plain(one),
  facts: { location_id, serial_number, make, in_service_since, warranty_until },
  photo,
});

const ofField = ({ _id, name, target }: CustomField, language: 'en' | 'fr'): Entry => ({
  id: _id,
  name: name[language],
  names: name,
  target,
});

const nested = ({ name, parentId = null }: EntryInput) => ({ name, parent_id: parentId });
const locationBody = ({ reference = null, address = null, ...rest }: EntryInput) => ({
  ...nested(rest),
  reference,
  address,
});
const equipmentBody = ({ facts, ...rest }: EntryInput) => ({ ...nested(rest), ...facts });
const fieldBody = ({ names = { fr: '', en: '' }, target = null }: EntryInput) => ({ name: names, target });

const base = '/api/v3.0';

const locations: Kind = {
  read: async (query, signal) => {
    const page = await call(tickets.GET(`${base}/locations`, { params: { query }, signal }));
    return { items: page.locations.map(ofLocation), next: page.cursor };
  },
  create: (input) => call(tickets.POST(`${base}/locations`, { body: locationBody(input) })),
  change: (location_id, input) =>
    call(
      tickets.PATCH(`${base}/locations/{location_id}`, {
        params: { path: { location_id } },
        body: locationBody(input),
      }),
    ),
  remove: (location_id) =>
    call(tickets.DELETE(`${base}/locations/{location_id}`, { params: { path: { location_id } } })),
};

const equipments: Kind = {
  read: async (query, signal) => {
    const page = await call(tickets.GET(`${base}/equipments`, { params: { query }, signal }));
    return { items: page.equipments.map(ofEquipment), next: page.cursor };
  },
  create: (input) => call(tickets.POST(`${base}/equipments`, { body: equipmentBody(input) })),
  change: (equipment_id, input) =>
    call(
      tickets.PATCH(`${base}/equipments/{equipment_id}`, {
        params: { path: { equipment_id } },
        body: equipmentBody(input),
      }),
    ),
  remove: (equipment_id) =>
    call(tickets.DELETE(`${base}/equipments/{equipment_id}`, { params: { path: { equipment_id } } })),
};

const jobs: Kind = {
  read: async (query, signal) => {
    const page = await call(tickets.GET(`${base}/jobs`, { params: { query }, signal }));
    return { items: page.jobs.map(plain), next: page.cursor };
  },
  create: ({ name }) => call(tickets.POST(`${base}/jobs`, { body: { name } })),
  change: (job_id, { name }) =>
    call(tickets.PATCH(`${base}/jobs/{job_id}`, { params: { path: { job_id } }, body: { name } })),
  remove: (job_id) => call(tickets.DELETE(`${base}/jobs/{job_id}`, { params: { path: { job_id } } })),
};

const domains: Kind = {
  read: async (query, signal) => {
    const page = await call(tickets.GET(`${base}/domains`, { params: { query }, signal }));
    return { items: page.domains.map(plain), next: page.cursor };
  },
  create: (input) => call(tickets.POST(`${base}/domains`, { body: nested(input) })),
  change: (domain_id, input) =>
    call(tickets.PATCH(`${base}/domains/{domain_id}`, { params: { path: { domain_id } }, body: nested(input) })),
  remove: (domain_id) => call(tickets.DELETE(`${base}/domains/{domain_id}`, { params: { path: { domain_id } } })),
};

/** Custom fields have a name in each language. */
const customFields = (language: 'en' | 'fr'): Kind => ({
  read: async (query, signal) => {
    const page = await call(tickets.GET(`${base}/custom-fields`, { params: { query }, signal }));
    return { items: page.custom_fields.map((field) => ofField(field, language)), next: page.cursor };
  },
  create: (input) => call(tickets.POST(`${base}/custom-fields`, { body: fieldBody(input) })),
  change: (custom_field_id, input) =>
    call(
      tickets.PATCH(`${base}/custom-fields/{custom_field_id}`, {
        params: { path: { custom_field_id } },
        body: fieldBody(input),
      }),
    ),
  remove: (custom_field_id) =>
    call(tickets.DELETE(`${base}/custom-fields/{custom_field_id}`, { params: { path: { custom_field_id } } })),
});

/** The kinds whose entries have a page. */
export const pagedKinds = ['locations', 'equipments'] as const;
export type PagedKind = (typeof pagedKinds)[number];

export async function readEntry(kind: PagedKind, id: string, signal: AbortSignal): Promise<Entry> {
  if (kind === 'locations') {
    const params = { path: { location_id: id } };
    return ofLocation((await call(tickets.GET(`${base}/locations/{location_id}`, { params, signal }))).location);
  }
  const params = { path: { equipment_id: id } };
  return ofEquipment((await call(tickets.GET(`${base}/equipments/{equipment_id}`, { params, signal }))).equipment);
}

export function kindOf(name: KindName, language: 'en' | 'fr'): Kind {
  const kinds = { locations, equipments, jobs, domains };
  return name === 'custom-fields' ? customFields(language) : kinds[name];
}
