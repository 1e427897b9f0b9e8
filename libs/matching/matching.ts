import type { CanonicalInvoice, LocationSnapshot, TicketSnapshot } from '@app/contracts';
import type { IndexedReference, MatchPurchase } from './references/known-references.ts';
import type { ReferencePattern } from './references/supplier-reference-patterns.ts';
import type { Signal } from './scoring/signal.ts';

/** What a person should know about an invoice. */
export const knownFlags = [
  'supplier_ambiguous',
  'supplier_is_client',
  'siren_checksum',
  'iban_invalid',
  'over_tolerance',
  'no_goods_receipt',
  'ticket_not_finished',
  'currency_differs',
  'credit_note',
  'corrective',
  'already_invoiced',
  'several_tickets',
  'other_reference',
  'mixed_vat',
  'other_place',
] as const;
export type Flag = (typeof knownFlags)[number];

/** Company numbers of an invoice's supplier, cleaned; `siren` null: none that can be used (foreign, Monaco, the client's own). */
export type SupplierNumbers = { siren: string | null; siret: string | null; accounts: string[]; flags: Flag[] };

/** A contractor of the client's directory; its `accounts` were confirmed by links. */
export type KnownContractor = { id: string; siren: string | null; siret: string | null; accounts: readonly string[] };

/**
 * `contractorId` null and `contractorIds` not empty: ambiguous, the ticket may decide. Both empty: no contractor has that
 * SIREN. `likelyIds`: contractors with the supplier's name or VAT number; their tickets are suggested, never chosen.
 */
export type SupplierMatch = {
  contractorId: string | null;
  contractorIds: string[];
  likelyIds?: readonly string[];
  flags: Flag[];
};

/** What a ticket or a purchase document is found by: forms of its references, and its amounts in cents. */
export type MatchKeys = { keys: string[]; cents: number[] };

/**
 * What a store looks up candidate tickets by, within one client and in this order until `limit` tickets are found:
 * 1. tickets with one of `keys` (their own or of their purchase documents), tickets whose id is in `ticketIds`;
 * 2. tickets of `contractorIds` with one of the amounts `cents` (their own or of their purchase documents);
 * 3. the most recently updated tickets of `contractorIds`.
 * All: `created_at` before `createdBefore`, `updated_at` from `updatedFrom` on, a status outside `excludedStatuses`.
 */
export type CandidateLookup = {
  keys: string[];
  ticketIds: string[];
  contractorIds: string[];
  cents: number[];
  createdBefore: string;
  updatedFrom: string;
  excludedStatuses: readonly string[];
  limit: number;
};

/**
 * What an invoice counts on its ticket, in its currency; a credit note counts negative. `references`: the forms of its own
 * (`CandidateLookup`), which say what it was for; absent: not known.
 */
export type LinkedInvoice = { ht: number; ttc: number; references?: readonly string[] };

/**
 * A ticket that may be the right one, with all its purchase documents and its references (`knownReferences`).
 * `linked`: invoices that are on it already. `excluded`: an operator unlinked this invoice from it. `asked`: a person
 * asked for the comparison, so its dates, status and contractor do not exclude it.
 */
export type Candidate = {
  ticket: TicketSnapshot;
  purchases: readonly MatchPurchase[];
  references: readonly IndexedReference[];
  locations: readonly LocationSnapshot[];
  linked: readonly LinkedInvoice[];
  excluded?: boolean;
  asked?: boolean;
};

/** An invoice of the same supplier that a credit note or a corrective invoice names (`precedingNumbers`). */
export type PrecedingInvoice = { id: string; number: string; ticketId: string | null };

export type MatchSettings = {
  /** Minimum score for a match without a person. */
  autoScore: number;
  /** Minimum lead over the second best ticket for such a match. */
  autoMargin: number;
  /** Minimum score of a suggestion. */
  suggestScore: number;
  suggestions: number;
  /** Tolerated difference of amounts: the larger of a fixed amount and a fraction of what was ordered. */
  toleranceAmount: number;
  toleranceFraction: number;
  /** The currency of purchase documents and quotes, which name none. */
  currency: string;
};

export const defaultSettings: MatchSettings = {
  autoScore: 80,
  autoMargin: 15,
  suggestScore: 30,
  suggestions: 5,
  toleranceAmount: 5,
  toleranceFraction: 0.02,
  currency: 'EUR',
};

/** Part of every decision. Increment it with each change of weights, limits or reference forms. */
export const scoreVersion = 4;

export type MatchInput = {
  invoice: CanonicalInvoice;
  supplier: SupplierMatch;
  candidates: readonly Candidate[];
  /** Read for credit notes and corrective invoices only. */
  preceding?: readonly PrecedingInvoice[];
  /** Locations of the client that the invoice names (found by `placeKeys`), whether or not a candidate is there. */
  namedLocations?: readonly LocationSnapshot[];
  /** How the supplier writes references. */
  patterns?: readonly ReferencePattern[];
  settings?: Partial<MatchSettings>;
};

/** A ticket compared with the invoice; `viewId` is the view that a link would take. */
export type RankedTicket = { ticketId: string; viewId: string; score: number; signals: Signal[] };

/** A ticket with its score (30 to 100) and the reasons for it, in words for operators and as signals. */
export type Suggestion = {
  ticketId: string;
  viewId: string;
  number: string;
  title: string;
  score: number;
  reasons: string[];
  signals: Signal[];
};

/**
 * `auto`: link to `ticketId` on `viewId`, the view of `contractorId`. `queue`: these three are null and a person decides.
 * `score` is the best one (null: no candidate), `margin` its lead over the second. `suggestions` are sorted best first and
 * include the chosen ticket. `flags` concern the invoice and the best ticket.
 */
export type MatchDecision = {
  decision: 'auto' | 'queue';
  ticketId: string | null;
  viewId: string | null;
  contractorId: string | null;
  score: number | null;
  margin: number | null;
  suggestions: Suggestion[];
  flags: Flag[];
  scoreVersion: number;
};
