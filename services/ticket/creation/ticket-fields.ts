import { oneOf } from '@app/contracts';
import { id, moment } from '@app/http';
import type { FieldError } from '@app/kernel';
import Joi from 'joi';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import { longText, title } from '../http/joi-fields.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { priorities, typologies } from '../tickets/ticket.ts';
import type { Viewer } from '../tickets/visibility.ts';
import type { NewTicket } from './create-ticket.ts';

const ids = Joi.array().max(100).unique().items(id);
/** Figures have a row for each place of a ticket with each of its domains. */
const fewIds = ids.max(20);

/** Fields that are given at creation and changed later. */
export const ticketFields = {
  title,
  description: longText.allow(null),
  priority: oneOf(priorities),
  location_ids: fewIds,
  equipment_ids: ids,
  job_ids: ids,
  domain_ids: fewIds,
  manager_ids: ids.description('users of the client, who alone names them'),
  contact_ids: ids.description('users of the client, who alone names them'),
  maintenance: title.allow(null).description('this and the period: only for typology maintenance'),
  start_date: moment.allow(null),
  end_date: moment.allow(null),
};

/** Values of custom fields. */
export function fieldValues(value: Joi.Schema): Joi.ArraySchema {
  const one = Joi.object({ field_id: id.required(), value: value.required() });
  return Joi.array().max(100).unique('field_id').items(one);
}

type Deps = { referentials: Pick<ReferentialStore, 'faults'>; companies: Pick<CompanyDirectory, 'users'> };
type People = Pick<NewTicket, 'manager_ids' | 'contact_ids'>;
type References = People &
  Pick<NewTicket, 'location_ids' | 'equipment_ids' | 'job_ids' | 'domain_ids'> & { fields?: { field_id: string }[] };
/** `placeIds`: the places of a caller who is limited to them. */
type Naming = { clientId: string; token: string; mayNamePeople: boolean; placeIds: readonly string[] | undefined };

/** A fault for each unknown or foreign id, and for each place that the caller does not see. */
export async function referenceFaults(
  { referentials, companies }: Deps,
  named: References,
  { clientId, token, mayNamePeople, placeIds }: Naming,
): Promise<FieldError[]> {
  const { location_ids, equipment_ids, job_ids, domain_ids, fields } = named;
  const field_ids = fields?.map(({ field_id }) => field_id);
  const [faults, strangers] = await Promise.all([
    referentials.faults(clientId, { location_ids, equipment_ids, job_ids, domain_ids, field_ids }),
    mayNamePeople ? unknownPeople(companies, named, { clientId, token }) : namedPeople(named),
  ]);
  const known = new Set(faults.map(({ path }) => path));
  const hidden = hiddenPlaces(location_ids, placeIds).filter(({ path }) => !known.has(path));
  return [...faults, ...strangers, ...hidden];
}

/** In the words for a place that does not exist. */
function hiddenPlaces(named: readonly string[] = [], placeIds: readonly string[] | undefined): FieldError[] {
  return named.flatMap((id, index) => {
    const path = `location_ids.${index}`;
    return placeIds && !placeIds.includes(id) ? [{ path, message: `${path} is no location of this client` }] : [];
  });
}

/** A limited user who names no place would not see the ticket. */
export function placeFaults(
  { location_ids = [] }: Pick<NewTicket, 'location_ids'>,
  { placeIds }: Viewer,
): FieldError[] {
  if (!placeIds || location_ids.some((id) => placeIds.includes(id))) return [];
  const path = 'location_ids';
  return [{ path, message: `${path} must name one of the places that you are limited to` }];
}

async function unknownPeople(
  companies: Deps['companies'],
  { manager_ids = [], contact_ids = [] }: People,
  { clientId, token }: { clientId: string; token: string },
): Promise<FieldError[]> {
  const people = [...manager_ids, ...contact_ids];
  const users = people.length > 0 ? await companies.users(clientId, people, token) : new Map();
  const unknown = (path: string, named: string[]): FieldError[] =>
    named.flatMap((userId, index) =>
      users.has(userId) ? [] : [{ path: `${path}.${index}`, message: `${path}.${index} is no user of this client` }],
    );
  return [...unknown('manager_ids', manager_ids), ...unknown('contact_ids', contact_ids)];
}

/**
 * Faults for users that a contractor names: none are allowed. Different errors for known and unknown ids would reveal
 * who works for its client, and the ticket would show it their names and addresses.
 */
function namedPeople({ manager_ids = [], contact_ids = [] }: People): FieldError[] {
  const named = Object.entries({ manager_ids, contact_ids }).filter(([, ids]) => ids.length > 0);
  return named.map(([path]) => ({ path, message: `${path} is for the client: its users are not yours to name` }));
}

type Maintenance = Pick<NewTicket, 'typology_id' | 'maintenance' | 'start_date' | 'end_date'>;

/** Maintenance fields are only readable on maintenance tickets, so others must not send them. */
export function maintenanceFaults({ typology_id, maintenance, start_date, end_date }: Maintenance): FieldError[] {
  if (typology_id !== typologies.maintenance) {
    const given = Object.entries({ maintenance, start_date, end_date }).filter(([, value]) => (value ?? null) !== null);
    return given.map(([path]) => ({ path, message: `${path} is for tickets of typology maintenance alone` }));
  }
  const backwards = start_date && end_date && end_date < start_date;
  return backwards ? [{ path: 'end_date', message: 'end_date is before start_date' }] : [];
}
