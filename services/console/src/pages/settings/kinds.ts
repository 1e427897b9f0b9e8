import { call, tickets } from '../../api/client.ts';
import type { Page } from '../../api/pages.ts';
import type { ExportFormat } from '../../components/data-display/export-buttons.tsx';
import type { CustomField, Entry, EntryInput, Equipment, Place } from './entry.ts';

export const kindNames = ['locations', 'equipments', 'jobs', 'domains', 'custom-fields'] as const;
export type KindName = (typeof kindNames)[number];

type PageQuery = { limit: number; cursor?: string; q?: string };
export type Kind = {
  read: (query: PageQuery, signal: AbortSignal) => Promise<Page<Entry>>;
  /** The list as a file. */
  sheet: (query: ExportFormat & { q?: string }) => Promise<Blob>;
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

type Made<Found> = {
  path: string;
  id: string;
  many: string;
  view: (found: Found) => Entry;
  body: (input: EntryInput) => object;
};

/** The operations of each kind are alike: those of places stand for all of them. */
function made<Found>({ path, id, many, view, body }: Made<Found>): Kind {
  const list = `${base}/${path}` as '/api/v3.0/locations';
  const entry = `${list}/{${id}}` as '/api/v3.0/locations/{location_id}';
  const at = (value: string) => ({ path: { [id]: value } as { location_id: string } });
  return {
    async read(query, signal) {
      const page = await call(tickets.GET(list, { params: { query }, signal }));
      const found = (page as unknown as Record<string, Found[]>)[many] ?? [];
      return { items: found.map(view), next: page.cursor };
    },
    sheet(query) {
      const file = `${list}/export` as '/api/v3.0/locations/export';
      return call(tickets.GET(file, { params: { query }, parseAs: 'blob' }));
    },
    create: (input) => call(tickets.POST(list, { body: body(input) as never })),
    change: (value, input) => call(tickets.PATCH(entry, { params: at(value), body: body(input) as never })),
    remove: (value) => call(tickets.DELETE(entry, { params: at(value) })),
  };
}

const kinds = {
  locations: made({ path: 'locations', id: 'location_id', many: 'locations', view: ofLocation, body: locationBody }),
  equipments: made({
    path: 'equipments',
    id: 'equipment_id',
    many: 'equipments',
    view: ofEquipment,
    body: equipmentBody,
  }),
  jobs: made({ path: 'jobs', id: 'job_id', many: 'jobs', view: plain, body: ({ name }) => ({ name }) }),
  domains: made({ path: 'domains', id: 'domain_id', many: 'domains', view: plain, body: nested }),
};

/** Custom fields have a name in each language. */
const customFields = (language: 'en' | 'fr') =>
  made<CustomField>({
    path: 'custom-fields',
    id: 'custom_field_id',
    many: 'custom_fields',
    view: (field) => ofField(field, language),
    body: fieldBody,
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
  return name === 'custom-fields' ? customFields(language) : kinds[name];
}
