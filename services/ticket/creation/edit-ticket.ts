import { isDeepStrictEqual } from 'node:util';
import { AppError, ValidationError } from '@app/kernel';
import { finishDecision, unchanged } from '../tickets/lifecycle/decision.ts';
import { permit } from '../tickets/lifecycle/status-machine.ts';
import type { Actor, Decision, Ticket } from '../tickets/ticket.ts';

const customFieldsPerTicket = 200;
/**
 * As many as one body can hold. Values are merged into the stored ones, so without a limit a ticket
 * could outgrow what it and its lists can carry.
 */
const customFieldCharacters = 1_000_000;

/** The fields of a ticket that its client may change. The value null removes a custom field. */
export type TicketChanges = Partial<
  Pick<
    Ticket,
    | 'title'
    | 'description'
    | 'priority'
    | 'location_ids'
    | 'equipment_ids'
    | 'job_ids'
    | 'domain_ids'
    | 'manager_ids'
    | 'contact_ids'
    | 'maintenance'
    | 'start_date'
    | 'end_date'
  >
> & { fields?: { field_id: string; value: string | null }[] };

/**
 * Changes the fields of a ticket. The fields sent replace the stored ones; `fields` are merged by
 * id, so that two systems that store a number each do not remove each other's. Only the client may
 * change them, since it places its orders by them.
 * @throws ValidationError at `end_date`; AppError unprocessable `ticket_too_many`, and those of
 * `permit`
 */
export function editTicket(ticket: Ticket, actor: Actor, now: Date, changes: TicketChanges): Decision {
  permit(ticket, actor, 'edit');
  const names = editedFields(ticket, changes);
  if (names.length === 0) return unchanged(ticket);
  const wanted = editedTicket(ticket, changes);
  // Checked together with the stored date: two people may change one of the two dates each.
  if (wanted.start_date && wanted.end_date && wanted.end_date < wanted.start_date) {
    throw new ValidationError([{ path: 'end_date', message: 'end_date is before start_date' }]);
  }
  if (wanted.fields.length > Math.max(customFieldsPerTicket, ticket.fields.length)) {
    const message = `a ticket holds at most ${customFieldsPerTicket} custom fields`;
    throw new AppError('unprocessable', 'ticket_too_many', message);
  }
  if (charactersOf(wanted) > Math.max(customFieldCharacters, charactersOf(ticket))) {
    const message = 'the custom fields of a ticket hold at most 1,000,000 characters together';
    throw new AppError('unprocessable', 'ticket_too_many', message);
  }
  // Unchanged values stay the same objects, so that the store writes only what differs.
  const changed = Object.fromEntries(names.map((name) => [name, wanted[name]]));
  return finishDecision(ticket, { ...ticket, ...changed }, now);
}

function charactersOf({ fields }: Pick<Ticket, 'fields'>): number {
  return fields.reduce((total, { value }) => total + value.length, 0);
}

/** The names of the fields that these changes would change. */
export function editedFields(ticket: Ticket, changes: TicketChanges): (keyof TicketChanges)[] {
  const wanted = editedTicket(ticket, changes);
  const sent = Object.keys(changes) as (keyof TicketChanges)[];
  return sent.filter((name) => !isDeepStrictEqual(wanted[name], ticket[name]));
}

export function editedTicket(ticket: Ticket, { fields = [], ...changes }: TicketChanges): Ticket {
  const values = new Map(ticket.fields.map(({ field_id, value }) => [field_id, value]));
  for (const { field_id, value } of fields) {
    if (value === null) values.delete(field_id);
    else values.set(field_id, value);
  }
  return { ...ticket, ...changes, fields: [...values].map(([field_id, value]) => ({ field_id, value })) };
}

const idLists = ['location_ids', 'equipment_ids', 'job_ids', 'domain_ids', 'manager_ids', 'contact_ids'] as const;

/** Whether the ticket already has the id at this path: it may have been deleted since, but stays allowed. */
export function isKept(path: string, ticket: Ticket, changes: TicketChanges): boolean {
  const [list = '', index = ''] = path.split('.');
  if (list === 'fields') {
    const named = changes.fields?.[Number(index)]?.field_id;
    return ticket.fields.some(({ field_id }) => field_id === named);
  }
  const name = idLists.find((one) => one === list);
  const id = name && changes[name]?.[Number(index)];
  return name !== undefined && id !== undefined && ticket[name].includes(id);
}
