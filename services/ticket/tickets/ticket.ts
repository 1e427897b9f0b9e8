import type { NewEvent, TicketStatus } from '@app/contracts';
import type { Clock, ClockHistory, ClockName, Targets } from '../clocks/clocks.ts';

export { ticketStatuses as statuses } from '@app/contracts';
export type Status = TicketStatus;

/** Accepted by the `status` filter as well, for compatibility; no ticket has them. */
export const filterOnlyStatuses = ['created', 'accepted', 'expired', 'cashedby'] as const;

/** Ids shared by all accounts. */
export const typologies = {
  curatif: '5ebb096fe1bde10a7ee21348',
  maintenance: '5ebb096fe1bde10a7ee21349',
  leveeReserves: '5f770cb039e6b8004a1cc0b7',
  sinistre: '5ebb096fe1bde10a7ee2134b',
  travaux: '5ebb096fe1bde10a7ee2134a',
} as const;

export const typologyNames: Record<string, string> = {
  [typologies.curatif]: 'typology-curatif',
  [typologies.maintenance]: 'typology-maintenance',
  [typologies.leveeReserves]: 'typology-levee-reserves',
  [typologies.sinistre]: 'typology-sinistre',
  [typologies.travaux]: 'typology-travaux',
};

export const priorities = ['none', 'low', 'medium', 'high'] as const;
export type Priority = (typeof priorities)[number];

/** A user as it was at the time of its action. */
export type UserRef = { _id: string; firstName: string; lastName: string; email: string; company_id: string };

/**
 * The relation of a company to a ticket. `client`: its owner. `pending`: a proposal without an answer. `active`: the
 * contractor of the ticket, which sees the ticket's own status. `declined` and `canceled` are over and get no more events.
 */
export type ViewState = 'client' | 'pending' | 'active' | 'declined' | 'canceled';

/** How one company sees a ticket. Invoices are linked to a view. `company_id` is null for a contractor without an account. */
export type View = {
  _id: string;
  company_id: string | null;
  role: 'client' | 'contractor';
  contractor_id: string | null;
  state: ViewState;
  status: Status;
  reason: string | null;
  /** When a pending proposal expires; null: never. */
  expires_at: Date | null;
};

export type DateCategory = 'visit' | 'intervention';
/** `planned`: still ahead, or not confirmed yet. The others say what became of it. */
type DateState = 'planned' | 'done' | 'not_done' | 'canceled';

/** `company_id` is who added it. */
export type TicketDate = {
  _id: string;
  company_id: string;
  category: DateCategory;
  type: 'planned' | 'actual';
  state: DateState;
  start: Date;
  end: Date;
  created_at: Date;
};

type QuoteStatus = 'pending' | 'validated' | 'declined';

/**
 * `price` is the decimal text that was sent, without VAT unless `includes_vat`. `validated` becomes false when work is scheduled; `validated_at` stays. An
 * `additional` quote was added after work was scheduled; deciding it does not move the ticket.
 */
export type Quote = {
  _id: string;
  reference: string;
  price: string;
  status: QuoteStatus;
  validated: boolean;
  validated_at: Date | null;
  contractor_id: string;
  added_at: Date;
  file: StoredFile | null;
  additional?: true;
  includes_vat: boolean;
};

/** A file in the storage library. */
export type StoredFile = { key: string; name: string; type: string; size: number; hash: string };

/** `company_id` is who added it; `contractor_id` its directory entry, null for the client's own reports. */
export type Report = {
  _id: string;
  company_id: string;
  contractor_id: string | null;
  added_at: Date;
  file: StoredFile;
};

/**
 * What the clocks of a ticket go by, the policy that holds for it with the place whose hours count (`rules`; null: no policy), what
 * that makes due of what has not happened yet, when to warn of it, and what became of the rest.
 */
export type TicketClock = Pick<ClockHistory, 'changes' | 'moves'> & {
  rules: { targets: Targets; place: string | null } | null;
  due: Record<ClockName, Date | null>;
  warn: Record<ClockName, Date | null>;
  results: Record<ClockName, Clock | null>;
};

/** A ticket as it is stored. */
export type Ticket = {
  _id: string;
  version: number;
  number: string;
  client_id: string;
  client_name: string;
  created_by: UserRef;
  validated_by: UserRef | null;
  title: string;
  description: string | null;
  priority: Priority;
  typology_id: string;
  price_threshold: number | null;
  location_ids: string[];
  equipment_ids: string[];
  job_ids: string[];
  domain_ids: string[];
  manager_ids: string[];
  contact_ids: string[];
  fields: { field_id: string; value: string }[];
  maintenance: string | null;
  start_date: Date | null;
  end_date: Date | null;
  from_public_interface: boolean;
  reserve: boolean | null;
  created_at: Date;
  updated_at: Date;
  assigned_at: Date | null;
  closed_at: Date | null;
  views: View[];
  dates: TicketDate[];
  quotes: Quote[];
  reports: Report[];
  note_count: number;
  /** When moves/ticket-timers.ts next looks at this ticket; null: never. Not a deadline of the work. */
  due_at: Date | null;
  /** Whether this ticket ever had purchase documents or invoice lines; reads query them only then. */
  has_purchases?: true;
  has_invoices?: true;
  /** Absent from a draft. */
  clock?: TicketClock;
};

/** Who acts on a ticket. A timer acts for no company. */
export type Actor = { party: 'client' | 'contractor'; companyId: string; user: UserRef } | { party: 'timer' };

/** A note to be written together with a change of the ticket. */
export type NoteDraft = { text: string; type: 'internal' | 'managers' | 'public'; author: UserRef };

/** What a rule decides: the new ticket, its events and its notes. If `ticket` is the same object, nothing changes. `untold`: see `untoldBy`. */
export type Decision = { ticket: Ticket; events: NewEvent[]; notes?: NoteDraft[]; untold?: string[] | undefined };

/** How an event names its ticket. */
export function ticketRef({ _id, number, title }: Pick<Ticket, '_id' | 'number' | 'title'>) {
  return { id: _id, number, title };
}

/**
 * The time of the next change of a ticket: now, or 1 ms after its last change if another process, whose clock is ahead, made
 * that. Subscribers of webhooks order the events of a ticket by it, so it never goes back.
 */
export function nextTime({ updated_at }: Pick<Ticket, 'updated_at'>, now: Date): Date {
  return new Date(Math.max(now.getTime(), updated_at.getTime() + 1));
}

export function clientView(ticket: Ticket): View {
  return ticket.views[0] as View;
}

/** The status of a ticket is the status of its client's view. */
export function statusOf(ticket: Ticket): Status {
  return clientView(ticket).status;
}

/** The contractor of the ticket, if it has one. */
export function activeView(ticket: Ticket): View | undefined {
  return ticket.views.find(({ state }) => state === 'active');
}

export function viewOfCompany(ticket: Ticket, companyId: string): View | undefined {
  return ticket.views.find(({ company_id }) => company_id === companyId);
}

/** True for a view that is neither declined nor canceled. */
export function isLive(view: View): boolean {
  return view.state !== 'declined' && view.state !== 'canceled';
}

/** True for a view whose company gets events of the ticket: a removed ticket is gone for its contractors. */
export function isNotified(view: View): boolean {
  return isLive(view) && view.status !== 'removed';
}
