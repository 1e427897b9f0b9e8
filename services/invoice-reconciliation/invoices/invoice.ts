import type {
  CanonicalInvoice,
  InvoiceOutcome,
  NewEvent,
  ReportedLink,
  ReportedStatus,
  StatusDetails,
  StatusReason,
  StoredPayload,
  ToldStatus,
} from '@app/contracts';
import { knownFlags, type Signal, type Suggestion } from '@app/matching';

export const states = [
  'received',
  'normalized',
  'supplier_matched',
  'supplier_unmatched',
  'ticket_matched',
  'ticket_unmatched',
  'linked',
  'feedback_pending',
  'feedback_sent',
  'done',
  'error',
  'manual_review',
] as const;
export type State = (typeof states)[number];

/** Why an invoice must not be linked without a person. */
export const reviewReasons = [
  'duplicate_suspected',
  'amounts_inconsistent',
  'iban_changed',
  'provider_status',
  ...([
    'changed_after_link',
    'document_hash_mismatch',
    'supplier_is_client',
    'ticket_gone',
    'credits_refused',
    'several_parties',
  ] as const),
] as const;
export type ReviewReason = (typeof reviewReasons)[number];

/** What a person should know about an invoice: from matching, and from its own life. */
export const invoiceFlags = [
  ...knownFlags,
  ...([
    'same_number',
    'replaced',
    'iban_changed',
    'provider_status',
    'document_hash_mismatch',
    'reversal_failed',
    'refusal_failed',
    'status_failed',
  ] as const),
] as const;
export type InvoiceFlag = (typeof invoiceFlags)[number];

/**
 * What the connection service fetched last; the files are in storage. `fetched_at` and `sequence` are those of the last fetch:
 * results of earlier ones are outdated.
 */
export type Content = {
  raw: StoredPayload;
  document: StoredPayload | null;
  fetched_at: Date;
  sequence: number;
};

/** The keys of its files. */
export function filesOf({ raw, document }: Content): string[] {
  return [raw.key, ...(document ? [document.key] : [])];
}

/** The steps of the pipeline, as an error names them. */
export const steps = ['normalize', 'supplier', 'ticket', 'feedback'] as const;
export type StepName = (typeof steps)[number];

/** `from` is the last state before the error. It is retried at the invoice's `due_at`; null: not by itself. */
type Failure = { step: StepName; code: string; attempts: number; from: State };

/** No account contains it. */
export const accountSeparator = '\n';

/**
 * The last feedback on a link or a refusal that was requested; `version` is its `link_version`. About a refusal it has no ticket.
 */
export type Feedback = {
  version: number;
  outcome: InvoiceOutcome;
  result: 'pending' | 'sent' | 'failed';
  ticket: ReportedLink['ticket'] | null;
  po_ref: string | null;
  /** Whether the provider had accepted a link or a refusal before this request, and no reversal of it since. */
  accepted_before?: boolean;
  /** Other links that the provider may still have, newest last. */
  earlier_links?: ReportedLink[];
};

/**
 * A status that the provider was asked to pass on; `version` is the `link_version` of the request, `key` that of its message, `by` the
 * person or ERP who told it. `failure`: why it failed; `refused`: the provider refused it.
 */
export type ProviderStatus = ToldStatus &
  StatusDetails & {
    version: number;
    key: string;
    asked_at: Date;
    by: string | null;
    settled_at: Date | null;
    failure: string | null;
    refused?: boolean;
  };

/** When the line of an invoice came to its view, or left it, and the person who did it; `by` null: matching did. */
export type LineMove = { at: Date; by: string | null };

/** The person who made a move. Names are not stored: whoever shows it looks up the user's present name. */
export type Actor = { id: string };

/** `signals`: of the ticket that matching chose. */
export type HistoryEntry = {
  at: Date;
  from: State | null;
  to: State;
  reason: string | null;
  by?: Actor;
  signals?: Signal[];
};

/** What a supplier or a platform said of an invoice; `id` identifies the message among those of the client, `status` is a code such as 212. */
export type ReceivedStatus = Pick<ReportedStatus, 'status' | 'reasons'> & { id: string; at: Date };

/** A field that the provider changed once the invoice was on a ticket. */
export type FieldChange = { field: string; before: string | number | null; after: string | number | null };

/** What a link by hand replaced, so that it can be undone. */
export type BeforeLink = Pick<Invoice, 'suggestions' | 'reasons' | 'acknowledged' | 'supplier_id'> & {
  ticket_id: string;
  state: 'ticket_unmatched' | 'manual_review';
};

/** What a person decided about an invoice that is put on no ticket: it rests in `done`. */
export const conclusionOutcomes = ['no_ticket', 'duplicate_of', 'refused'] as const;
export type Concluded =
  | { outcome: 'no_ticket'; reason: string }
  | { outcome: 'duplicate_of'; reason: string; invoice_id: string }
  | { outcome: 'refused'; reason: string; code: StatusReason };

/** `before`: what it replaced, so that it can be undone. */
export type Conclusion = Concluded & {
  before: Pick<Invoice, 'suggestions' | 'reasons'> & { state: (typeof statesOfPeople)[number] };
};

/** The states in which an invoice waits for a person. */
export const statesOfPeople = ['ticket_unmatched', 'error', 'manual_review'] as const satisfies readonly State[];

/** Keys by which other invoices and changed tickets find this one, derived from the canonical invoice and the supplier. */
export type InvoiceKeys = {
  /** For duplicates and preceding invoices (`lookupKeys`). */
  lookupKeys: string[];
  /** Forms of its references. */
  references: string[];
  siren: string | null;
  /** `amountKey` of each contractor that may be the supplier with each amount. */
  amounts: string[];
};

export type Invoice = {
  _id: string;
  client_id: string;
  connection_id: string;
  provider: string;
  external_id: string;
  state: State;
  /** Incremented by every change; a save compares it. */
  version: number;
  created_at: Date;
  updated_at: Date;
  content: Content;
  /** Keys of files of earlier content that may still be stored; absent if there are none. */
  replaced_files?: string[];
  canonical: CanonicalInvoice | null;
  provider_status: string | null;
  /** In the order of arrival; absent if there are none. */
  received_statuses?: ReceivedStatus[];
  supplier_id: string | null;
  /** All contractors that may be the supplier. */
  supplier_ids: string[];
  ticket_id: string | null;
  view_id: string | null;
  matched_by: 'operator' | 'machine' | null;
  line_version: number;
  line_added_at: Date | null;
  /** Absent until it had a line. */
  line_moved?: LineMove;
  flags: InvoiceFlag[];
  /** Why it is in its state, in words or as a `ReviewReason`. */
  reasons: string[];
  /** Review reasons that an operator has overridden. */
  acknowledged: string[];
  suggestions: Suggestion[];
  /** Tickets that an operator unlinked it from; it is never matched with them again, except by hand. */
  refused_tickets: string[];
  /** Tickets from which an operator's link was undone: they are suggested, and matching never links it to them by itself. */
  undone_tickets?: string[];
  /** The tickets that it left, the last one last. */
  former_tickets?: string[];
  before_link?: BeforeLink | null;
  conclusion?: Conclusion | null;
  /** While it waits for review as `changed_after_link`. */
  changes?: FieldChange[];
  link_version: number;
  feedback: Feedback | null;
  /** What the provider was told of where the invoice stands, oldest first; absent until then. */
  provider_statuses?: ProviderStatus[];
  failure: Failure | null;
  /** The supplier's bank accounts, confirmed by its link, with `accountSeparator` between. */
  confirmed_accounts: string | null;
  /** The VAT number (`vatKey`) of a supplier without SIREN, confirmed by an operator's link. */
  confirmed_vat?: string | null;
  keys: InvoiceKeys;
  /** What only one invoice of a client may hold: a number with its total, a document, a slot on a ticket. */
  claims: string[];
  history: HistoryEntry[];
  /** When the background worker continues it: in a transient state, or after an error. */
  due_at: Date | null;
  /** When an invoice of the queue is matched again; null: not planned. */
  rematch_at: Date | null;
};

/** The result of a rule: the invoice as it will be, and the events to publish. If nothing changes, the same invoice object. */
export type Decision = { invoice: Invoice; events: NewEvent[] };

/** States of an invoice that is linked to a ticket. */
export const linkedStates: readonly State[] = ['ticket_matched', 'linked', 'feedback_pending', 'feedback_sent', 'done'];

export const noKeys: InvoiceKeys = { lookupKeys: [], references: [], siren: null, amounts: [] };

export function unchanged(invoice: Invoice): Decision {
  return { invoice, events: [] };
}

/** The reasons of an invoice, with another one for review. */
export function withReason({ reasons }: Invoice, reason: ReviewReason): string[] {
  return [...new Set([...reasons, reason])];
}

export function withFlags(flags: readonly InvoiceFlag[], ...added: readonly InvoiceFlag[]): InvoiceFlag[] {
  return [...new Set([...flags, ...added])];
}

/** A change without a change of state. */
export function changed(invoice: Invoice, set: Partial<Invoice>, at: Date): Decision {
  return { invoice: { ...invoice, ...set, version: invoice.version + 1, updated_at: at }, events: [] };
}

/** Combines a decision with the next one. */
export function chainDecisions(before: Decision, next: (invoice: Invoice) => Decision): Decision {
  const after = next(before.invoice);
  return { invoice: after.invoice, events: [...before.events, ...after.events] };
}
