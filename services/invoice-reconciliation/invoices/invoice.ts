import type { CanonicalInvoice, InvoiceOutcome, NewEvent, ReportedLink, StoredPayload } from '@app/contracts';
import type { Suggestion } from '@app/matching';

/** Spec section 3.2. */
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

/** Why an invoice must not be placed without a person (domain.md section 5). */
export type ReviewReason =
  | 'duplicate_suspected'
  | 'amounts_inconsistent'
  | 'iban_changed'
  | 'provider_status'
  | 'changed_after_link'
  | 'document_hash_mismatch'
  | 'supplier_is_client'
  | 'ticket_gone';

/**
 * What connection fetched last; the files stand in storage. `fetched_at` and `sequence` are of the last time that the
 * provider was asked: what comes from before then is old.
 */
export type Content = {
  raw: StoredPayload;
  document: StoredPayload | null;
  fetched_at: Date;
  /** Null or absent: a release fetched it that did not count. */
  sequence?: number | null;
};

/** The parts of the pipeline, as an error names them. */
export type StepName = 'normalize' | 'guard' | 'supplier' | 'ticket' | 'feedback';

/** `from` is the last good state. Without `due_at` on the invoice nothing is tried again by itself. */
export type Failure = { step: StepName; code: string; attempts: number; from: State };

/** The last thing that connection was asked to tell the provider; `version` is its `link_version`. */
export type Feedback = {
  version: number;
  outcome: InvoiceOutcome;
  result: 'pending' | 'sent' | 'failed';
  /** Whether the provider had accepted a link before this request, and has not heard of its end. */
  heard_before?: boolean;
  /** The links other than this one that may stand at the provider, the newest last. */
  told_before?: ReportedLink[];
} & ReportedLink;

export type HistoryEntry = { at: Date; from: State | null; to: State; reason: string | null };

/** What other invoices and changed facts find this one by; made from the canonical invoice and the supplier. */
export type InvoiceKeys = {
  /** Duplicates and preceding invoices. */
  twins: string[];
  /** Forms of its references. */
  references: string[];
  siren: string | null;
  /** `contractor:cents`, for each contractor that may be the supplier and each amount. */
  amounts: string[];
};

export type Invoice = {
  _id: string;
  client_id: string;
  connection_id: string;
  provider: string;
  external_id: string;
  state: State;
  /** One more with each move and each other change: what a save compares. */
  version: number;
  created_at: Date;
  updated_at: Date;
  content: Content;
  canonical: CanonicalInvoice | null;
  provider_status: string | null;
  supplier_id: string | null;
  /** Every contractor that may be the supplier. */
  supplier_ids: string[];
  ticket_id: string | null;
  view_id: string | null;
  matched_by: 'operator' | 'machine' | null;
  line_version: number;
  line_added_at: Date | null;
  flags: string[];
  /** Why it is where it is, in words or as a `ReviewReason`. */
  reasons: string[];
  /** Review reasons that an operator has passed over. */
  acknowledged: string[];
  suggestions: Suggestion[];
  /** Tickets that an operator took it from: never matched with them again, except by hand. */
  refused_tickets: string[];
  link_version: number;
  feedback: Feedback | null;
  failure: Failure | null;
  /** The supplier's IBAN, where an operator's link confirmed it. */
  confirmed_iban: string | null;
  /** Its VAT number, likewise, where it has no SIREN (`vatKey`). */
  confirmed_vat?: string | null;
  keys: InvoiceKeys;
  /** What one invoice of a client at most may hold: a number with its total, a document, a place on a ticket. */
  claims: string[];
  history: HistoryEntry[];
  /** When the sweep takes it up: in a state of passage, or after an error. */
  due_at: Date | null;
  /** When its tickets are looked for again. */
  rematch_at: Date | null;
};

/** What a rule answers: the invoice as it is to be, and what to tell of it. Nothing changed: the same object. */
export type Decision = { invoice: Invoice; events: NewEvent[] };

/** States with a link that stands. */
export const placed: readonly State[] = ['ticket_matched', 'linked', 'feedback_pending', 'feedback_sent', 'done'];

export const noKeys: InvoiceKeys = { twins: [], references: [], siren: null, amounts: [] };

export function unchanged(invoice: Invoice): Decision {
  return { invoice, events: [] };
}

/** A change without a move: one version more. */
export function changed(invoice: Invoice, set: Partial<Invoice>, at: Date): Decision {
  return { invoice: { ...invoice, ...set, version: invoice.version + 1, updated_at: at }, events: [] };
}

/** One decision after another, as one. */
export function then(before: Decision, next: (invoice: Invoice) => Decision): Decision {
  const after = next(before.invoice);
  return { invoice: after.invoice, events: [...before.events, ...after.events] };
}
