import type { TicketSchemas } from '@app/api-client';
import type { Priority, Ticket } from '../list-query.ts';

/** The fields of a ticket that its client changes, as a form holds them: text, ids, and custom fields by their id. */
export type Values = {
  title: string;
  description: string;
  priority: Priority;
  location_ids: string[];
  equipment_ids: string[];
  job_ids: string[];
  domain_ids: string[];
  manager_ids: string[];
  contact_ids: string[];
  maintenance: string;
  start_date: string;
  end_date: string;
  fields: Record<string, string>;
};

export const listNames = [
  'location_ids',
  'equipment_ids',
  'job_ids',
  'domain_ids',
  'manager_ids',
  'contact_ids',
] as const;
/** What a ticket refers to, by ids. */
export type Lists = Pick<Values, (typeof listNames)[number]>;
export const noLists = Object.fromEntries(listNames.map((name) => [name, [] as string[]])) as Lists;

/** The fields that were changed in the form; others are absent. */
export type Draft = Partial<Values>;

export type Changes = Partial<{
  [Name in keyof Values]: Name extends 'fields' ? { field_id: string; value: string | null }[] : Values[Name] | null;
}>;

const ids = (all: { _id: string }[]) => all.map(({ _id }) => _id);

export function valuesOf(ticket: Ticket): Values {
  return {
    title: ticket.title,
    description: ticket.description ?? '',
    priority: ticket.priority_label,
    location_ids: ids(ticket.locations),
    equipment_ids: ids(ticket.equipments),
    job_ids: ids(ticket.jobs),
    domain_ids: ids(ticket.domains),
    manager_ids: ids(ticket.managers),
    contact_ids: ids(ticket.contacts),
    maintenance: ticket.maintenance ?? '',
    start_date: dayOf(ticket.start_date),
    end_date: dayOf(ticket.end_date),
    fields: Object.fromEntries(ticket.fields.map(({ field_id, value }) => [field_id, value])),
  };
}

function dayOf(moment: string | null | undefined): string {
  return moment?.slice(0, 10) ?? '';
}

/**
 * The body of the request: the fields that were changed in the form and differ. An empty text is
 * sent as null, except the title, which the API then refuses.
 */
export function changesOf(ticket: Ticket, draft: Draft): Changes {
  const before = valuesOf(ticket);
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(draft)) {
    if (name === 'fields') continue;
    if (JSON.stringify(value) !== JSON.stringify(before[name as keyof Values])) changes[name] = sent(name, value);
  }
  const fields = changedFields(ticket, draft).map((field_id) => ({
    field_id,
    value: draft.fields?.[field_id] || null,
  }));
  return { ...changes, ...(fields.length > 0 && { fields }) };
}

function sent(name: string, value: unknown): unknown {
  if (typeof value !== 'string' || name === 'title') return value;
  if (value.trim() === '') return null;
  return name.endsWith('_date') ? `${value}T00:00:00Z` : value;
}

/**
 * The ids of the changed custom fields, in the order in which they are sent: the API names a fault
 * by its index.
 */
export function changedFields(ticket: Ticket, { fields = {} }: Draft): string[] {
  const before = valuesOf(ticket).fields;
  return Object.keys(fields).filter((id) => (fields[id] ?? '') !== (before[id] ?? ''));
}

/** The draft that undoes changes: the former values of these fields. */
export function formerValues(before: Ticket, changes: Changes): Draft {
  const values = valuesOf(before);
  const { fields: changed = [], ...others } = changes;
  const kept = Object.keys(others).map((name) => [name, values[name as keyof Values]]);
  const fields = Object.fromEntries(changed.map(({ field_id }) => [field_id, values.fields[field_id] ?? '']));
  return { ...Object.fromEntries(kept), ...(changed.length > 0 && { fields }) };
}

/** A field of a ticket with its value, as the user reads them. */
export type NamedValue = { name: string; value: string };
type Difference = { name: string; before: string; after: string };

export function differences(before: readonly NamedValue[], after: readonly NamedValue[]): Difference[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  const valueIn = (values: readonly NamedValue[], name: string) => values.find((one) => one.name === name)?.value ?? '';
  return names
    .map((name) => ({ name, before: valueIn(before, name), after: valueIn(after, name) }))
    .filter((one) => one.before !== one.after);
}

/** What happened after the ticket was read, the newest first. */
export function eventsSince<Item extends Pick<TicketSchemas['TicketHistoryItem'], 'at'>>(
  history: readonly Item[],
  { updated_at: readAt }: Pick<Ticket, 'updated_at'>,
): Item[] {
  return history
    .filter(({ at }) => readAt === null || at > readAt)
    .sort((one, other) => other.at.localeCompare(one.at));
}
