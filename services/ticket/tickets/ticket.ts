import type { NewEvent } from '@app/contracts';

/** Every status of a ticket and of a company's view of it (spec section 3.1). */
export const statuses = [
  'draft',
  'opened',
  'waiting',
  'proposed',
  'toreplan',
  'toplan',
  'waitingplan',
  'waiting_contractor',
  'assigned',
  'visit',
  'visit_devis',
  'validation',
  'validated',
  'dropped',
  'intervention',
  'intervention_finish',
  'finished',
  'closed',
  'canceled',
  'declined',
  'removed',
] as const;
export type Status = (typeof statuses)[number];

/** Accepted by the `status` filter besides; no ticket carries them (domain.md section 4). */
export const filterOnlyStatuses = ['created', 'accepted', 'expired', 'cashedby'] as const;

/** Constants shared by all accounts (spec section 2.1). */
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

/** A user as it was when it acted. */
export type UserRef = { _id: string; firstName: string; lastName: string; email: string; company_id: string };

/**
 * How a company stands to a ticket. `client`: its owner. `pending`: proposed, not answered. `active`: the contractor of
 * the ticket, who sees the ticket's own status. `declined` and `canceled` are over: they hear nothing more.
 */
export type ViewState = 'client' | 'pending' | 'active' | 'declined' | 'canceled';

/** A company's view of a ticket (domain.md section 4): the `viewId` of an invoice link. `company_id` is null for a contractor without account. */
export type View = {
  _id: string;
  company_id: string | null;
  role: 'client' | 'contractor';
  contractor_id: string | null;
  state: ViewState;
  status: Status;
  reason: string | null;
  /** When a pending proposal runs out; null: never. */
  expires_at: Date | null;
};

export type DateCategory = 'visit' | 'intervention';
/** `planned` is still ahead or unanswered; the others say what became of it. */
export type DateState = 'planned' | 'done' | 'not_done' | 'canceled';

/** `company_id` is who added it; absent on those of before it was kept. */
export type TicketDate = {
  _id: string;
  company_id?: string;
  category: DateCategory;
  type: 'planned' | 'actual';
  state: DateState;
  start: Date;
  end: Date;
  created_at: Date;
};

export type QuoteStatus = 'pending' | 'validated' | 'declined';

/**
 * `price` is the decimal text that was sent; `validated` ends when work is scheduled, `validated_at` stays. An
 * `additional` one was added once work was scheduled, and can be decided while it is.
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
};

/** A file in the storage library. */
export type StoredFile = { key: string; name: string; type: string; size: number; hash: string };

/** `company_id` is who added it; `contractor_id` its directory entry, null where the client did. */
export type Report = {
  _id: string;
  company_id: string;
  contractor_id: string | null;
  added_at: Date;
  file: StoredFile;
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
  /** When a timer next has something to do here; null: never. */
  due_at: Date | null;
  /** Purchase documents, or lines of invoices, stand beside this ticket; absent: none ever did, and no read looks for them. */
  has_purchases?: true;
  has_invoices?: true;
};

/** Who acts on a ticket. A timer acts for nobody. */
export type Actor = { party: 'client' | 'contractor'; companyId: string; user: UserRef } | { party: 'timer' };

/** A note that a change of the ticket brings with it. */
export type NoteDraft = { text: string; type: 'internal' | 'managers' | 'public'; author: UserRef };

/** What a rule decides: the ticket as it shall be, what happened, what to note. The same ticket: nothing changes. */
export type Decision = { ticket: Ticket; events: NewEvent[]; notes?: NoteDraft[] };

export function clientView(ticket: Ticket): View {
  return ticket.views[0] as View;
}

/** The status of the ticket is that of its client's view. */
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

/** True for a view that is part of the ticket still: neither declined nor canceled. */
export function isLive(view: View): boolean {
  return view.state !== 'declined' && view.state !== 'canceled';
}

/** True for a view that still hears of the ticket: a removed one is gone for whoever works on it (domain.md section 4). */
export function isNotified(view: View): boolean {
  return isLive(view) && view.status !== 'removed';
}
