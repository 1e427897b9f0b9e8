import { useLocale } from '../../../i18n/locale.tsx';
import { ticketStatuses } from '../../../words/status-words.ts';
import { fullName } from '../choices.ts';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import { type NamedValue, valuesOf } from './draft.ts';

/** The fields of a ticket in words, to compare two of its versions. */
export function useTicketValues(): (ticket: Ticket) => NamedValue[] {
  const fieldNames = useFieldNames();
  const texts = useTexts();
  const { language } = useLocale();
  const names = (all: { name: string | null }[]) => all.flatMap(({ name }) => name ?? []).join(', ');
  const people = (all: Ticket['managers']) => all.map(fullName).join(', ');
  return (ticket) => {
    const { start_date, end_date, maintenance } = valuesOf(ticket);
    const values: Record<string, string> = {
      title: ticket.title,
      description: ticket.description ?? '',
      priority: texts.priorities[ticket.priority_label],
      location_ids: names(ticket.locations),
      equipment_ids: names(ticket.equipments),
      job_ids: names(ticket.jobs),
      domain_ids: names(ticket.domains),
      manager_ids: people(ticket.managers),
      contact_ids: people(ticket.contacts),
      maintenance,
      start_date,
      end_date,
    };
    return [
      { name: texts.status, value: ticketStatuses[ticket.status][language] },
      ...Object.entries(values).map(([field, value]) => ({ name: fieldNames[field] ?? field, value })),
      ...ticket.fields.map(({ name, value }) => ({ name: name[language], value })),
    ];
  };
}

/** The labels of the fields by their names in the API. */
function useFieldNames(): Record<string, string> {
  const texts = useTexts();
  return {
    title: texts.ticketTitle,
    description: texts.description,
    priority: texts.priority,
    location_ids: texts.places,
    equipment_ids: texts.equipment,
    job_ids: texts.jobs,
    domain_ids: texts.domains,
    manager_ids: texts.managers,
    contact_ids: texts.contacts,
    fields: texts.customFields,
    maintenance: texts.maintenance,
    start_date: texts.start,
    end_date: texts.end,
  };
}

/** The names of fields that were changed, as the history lists them, in words. */
export function useFieldsText(): (text: string) => string {
  const names = useFieldNames();
  return (text) =>
    text
      .split(', ')
      .map((name) => names[name] ?? name)
      .join(', ');
}
