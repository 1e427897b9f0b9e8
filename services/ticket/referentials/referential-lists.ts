import { type Column, type Condition, type List, withWords } from '@app/kernel';
import { type Address, blankAddress, type ReferentialKind } from './referential.ts';

type Columns = Record<string, Column>;

const text = (path: string) => ({ path, type: 'text' }) as const;
const link = (path: string) => ({ path, type: 'id' }) as const;
const day = (path: string) => ({ path, type: 'date' }) as const;
const addressParts = Object.keys(blankAddress) as (keyof Address)[];
const address = addressParts.map((part): [string, Column] => [
  part,
  { path: `address.${part}`, type: part === 'lat' || part === 'lng' ? 'number' : 'text' },
]);

const facts = {
  serial_number: text('serial_number'),
  make: text('make'),
  in_service_since: day('in_service_since'),
  warranty_until: day('warranty_until'),
};
/** Columns of equipment that are fields of the same name. */
export const factColumns = Object.keys(facts) as (keyof typeof facts)[];

/** What an import calls its columns, in every language, so that a file can be corrected and imported again. */
const imported = (columns: Columns): Columns =>
  Object.fromEntries(Object.entries(columns).map(([name, one]) => [name, { ...one, title: { fr: name, en: name } }]));

const id: Column = { ...link('_id'), title: { fr: 'Identifiant', en: 'Id' } };
const name: Column = { ...text('name'), title: { fr: 'Nom', en: 'Name' } };

const targets = { ticket: { fr: 'Tickets', en: 'Tickets' }, contractor: { fr: 'Prestataires', en: 'Contractors' } };

/** What files hold of an entry as it is answered. */
const columnsOf: Record<ReferentialKind, Columns> = {
  location: imported({
    _id: link('_id'),
    name: text('name'),
    reference: text('reference'),
    parent: link('parent_id'),
    location_facturation: link('location_facturation.id'),
    ...Object.fromEntries(address),
  }),
  equipment: imported({
    _id: link('_id'),
    name: text('name'),
    parent: link('parent_id'),
    location: link('location_id'),
    ...facts,
  }),
  job: { name, id },
  domain: {
    name,
    parent: { ...link('parent_id'), title: { fr: 'Identifiant du parent', en: 'Id of its parent' } },
    id,
  },
  custom_field: {
    fr: { ...text('name.fr'), title: { fr: 'Nom en français', en: 'Name in French' } },
    en: { ...text('name.en'), title: { fr: 'Nom en anglais', en: 'Name in English' } },
    target: { ...text('target'), words: targets, title: { fr: 'Pour', en: 'For' } },
    id,
  },
};

const kindsListed = Object.keys(columnsOf) as ReferentialKind[];

/** What each kind can be sorted by, and what files of it hold. */
export const referentialLists = Object.fromEntries(
  kindsListed.map((kind): [string, List] => {
    const own: Columns = { created: link('_id'), kind: { path: 'kind', type: 'enum', values: [kind] } };
    const indexes = [{ name: 'live', equal: ['kind'], order: 'created' }];
    return [kind, { tenant: 'client_id', columns: { ...own, ...columnsOf[kind] }, indexes }];
  }),
) as Record<ReferentialKind, List>;

/** The titles of the columns of places and of equipment: what an import takes. */
export const importColumns = (kind: 'location' | 'equipment') => Object.keys(columnsOf[kind]);

/** Of this kind, not deleted, with all words of `q`, and among these ids. The indexes hold what is not deleted alone. */
export function liveOnes(
  kind: ReferentialKind,
  { q, among }: { q?: unknown; among?: readonly string[] | undefined },
): Condition[] {
  const live = { kind, deleted_at: null };
  const words = typeof q === 'string' ? withWords(q, { path: 'words', index: 'words' }) : [];
  return [
    { filter: among ? { ...live, _id: { $in: among } } : live },
    ...words.map((one) => ({ ...one, filter: { ...live, ...one.filter } })),
  ];
}
