import {
  type NewEvent,
  type NotificationRaised,
  type NotificationSubject,
  notification,
  notificationReadersChanged,
} from '@app/contracts';
import { activeView, clientView, statusOf, type Ticket, ticketRef, type UserRef } from '../ticket.ts';

/** The places of a ticket with all above them. */
export type PlacesAbove = (ticket: Ticket) => Promise<string[]>;

/** Who is told by which company. Places and managers are the client's: a contractor company has neither on a ticket. */
export type Told = Pick<NotificationRaised, 'company_id' | 'kind'> & {
  /** What happened: unique on the ticket. */
  what: string;
  /** These users, or else those of `managers` and, if none of them can get it, everybody who works on tickets. */
  users?: string[];
  managers?: string[];
} & Pick<NotificationSubject, 'text' | 'visibility'>;

type Cause = { by: UserRef | null; placeIds: string[]; at: Date };

export function actorOf(by: UserRef): NonNullable<NotificationSubject['actor']> {
  return { id: by._id, firstName: by.firstName, lastName: by.lastName };
}

export function notificationEvents(ticket: Ticket, told: readonly Told[], { by, placeIds, at }: Cause): NewEvent[] {
  return told.map(({ what, users, managers = [], ...given }) => {
    const place_ids = given.company_id === clientView(ticket).company_id ? placeIds : null;
    const to = users
      ? { user_ids: users, place_ids, ...(given.visibility === 'managers' ? { manager_ids: ticket.manager_ids } : {}) }
      : { permission: 'tickets' as const, manager_ids: managers, place_ids };
    const actor = by ? { actor: actorOf(by) } : {};
    return notification({ ...given, ...actor, key: `ticket:${ticket._id}:${what}`, to, ticket: ticketRef(ticket) }, at);
  });
}

/** What the users of both parties are to know of a change of a ticket, or of a new one (`before` null). */
export function toldOfChange(before: Ticket | null, after: Ticket, by: UserRef | null): Told[] {
  if (statusOf(after) === 'draft') return [];
  return [
    ...toldOfManagers(before, after),
    ...toldOfViews(before, after, by),
    ...toldOfQuotes(before, after, by),
    ...toldOfDates(before, after, by),
  ];
}

/** Whether other people of the client may read what was told of the ticket. */
export function hasOtherReaders(before: Ticket | null, { manager_ids, location_ids }: Ticket): boolean {
  return before !== null && `${before.manager_ids};${before.location_ids}` !== `${manager_ids};${location_ids}`;
}

export function readersChanged(ticket: Ticket, place_ids: string[]): NewEvent {
  const { _id: ticket_id, client_id: company_id, manager_ids, updated_at: at } = ticket;
  return notificationReadersChanged({ company_id, ticket_id, manager_ids, place_ids }, at, ticket_id);
}

function clientOf(ticket: Ticket): string {
  return clientView(ticket).company_id as string;
}

/** Nobody works on a draft, so that its managers have the ticket from its opening on. */
function toldOfManagers(before: Ticket | null, after: Ticket): Told[] {
  const had = before && statusOf(before) !== 'draft' ? before.manager_ids : [];
  const users = after.manager_ids.filter((id) => !had.includes(id));
  if (users.length === 0) return [];
  return [{ company_id: clientOf(after), kind: 'assigned', what: `managers:${timeOf(after)}`, users }];
}

/** A contractor to whom the ticket was proposed, or given by somebody else. Without an account it is told once it has one. */
function toldOfViews(before: Ticket | null, after: Ticket, by: UserRef | null): Told[] {
  const kinds = { pending: 'proposal', active: 'assigned' } as const;
  return after.views.flatMap(({ _id, company_id, state }) => {
    const kind = state === 'pending' || state === 'active' ? kinds[state] : null;
    const former = before?.views.find((view) => view._id === _id);
    if (kind === null || company_id === null || by?.company_id === company_id) return [];
    if (former?.state === state && former.company_id === company_id) return [];
    return [{ company_id, kind, what: `${kind}:${timeOf(after)}` }];
  });
}

function toldOfQuotes(before: Ticket | null, after: Ticket, by: UserRef | null): Told[] {
  const company_id = clientOf(after);
  if (by?.company_id === company_id) return [];
  return added(before?.quotes, after.quotes).map(({ _id, reference: text }) => {
    return { company_id, kind: 'quote', what: `quote:${_id}`, managers: after.manager_ids, text };
  });
}

/** The other party: a date binds both. */
function toldOfDates(before: Ticket | null, after: Ticket, by: UserRef | null): Told[] {
  const planned = added(before?.dates, after.dates).filter(({ type }) => type === 'planned');
  const parties = [clientOf(after), activeView(after)?.company_id ?? null];
  return planned.flatMap(({ _id, start }) =>
    parties.flatMap((company_id): Told[] => {
      if (company_id === null || by?.company_id === company_id) return [];
      const managers = company_id === clientOf(after) ? after.manager_ids : [];
      return [{ company_id, kind: 'date', what: `date:${_id}`, managers, text: start.toISOString() }];
    }),
  );
}

function added<T extends { _id: string }>(before: readonly T[] = [], after: readonly T[]): T[] {
  if (before === after) return [];
  const known = new Set(before.map(({ _id }) => _id));
  return after.filter(({ _id }) => !known.has(_id));
}

/** No other change of the ticket has it. */
function timeOf({ updated_at }: Ticket): string {
  return updated_at.toISOString();
}
