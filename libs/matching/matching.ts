import type { CanonicalInvoice, LocationSnapshot, PurchaseSnapshot, TicketSnapshot } from '@app/contracts';
import type { Habit } from './habits.ts';
import type { HeldForms } from './held.ts';

/** What a person should know about an invoice. */
export type Flag =
  | 'supplier_ambiguous'
  | 'supplier_is_client'
  | 'siren_checksum'
  | 'iban_invalid'
  | 'over_tolerance'
  | 'no_goods_receipt'
  | 'ticket_not_finished'
  | 'currency_differs'
  | 'credit_note'
  | 'corrective'
  | 'already_invoiced'
  | 'several_tickets'
  | 'other_reference';

/** The numbers of an invoice's supplier, cleaned; `siren` null: it has none to go by (foreign, Monaco, the client's own). */
export type SupplierNumbers = { siren: string | null; siret: string | null; iban: string | null; flags: Flag[] };

/** A contractor of the client's directory; `ibans` are those learned from links made by hand, without spaces. */
export type KnownContractor = { id: string; siren: string | null; siret: string | null; ibans: readonly string[] };

/**
 * `contractorId` null with `contractorIds`: ambiguous, the ticket may decide; without: no contractor is known by that SIREN.
 * `likelyIds`: contractors with its name or VAT number, whose tickets are suggested and never chosen.
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
 * What a store looks tickets up by, all within one client, in this order until `limit` tickets are found:
 * 1. tickets, and tickets of purchase documents, one of whose `keys` is in `keys`; tickets whose id is in `ticketIds`;
 * 2. tickets of `contractorIds`, one of whose `cents` (or of their purchase documents') is in `cents`;
 * 3. the tickets of `contractorIds` updated last.
 * All: `created_at` before `createdBefore`, `updated_at` from `updatedFrom` on, a status outside `statusesOut`.
 */
export type CandidateLookup = {
  keys: string[];
  ticketIds: string[];
  contractorIds: string[];
  cents: number[];
  createdBefore: string;
  updatedFrom: string;
  statusesOut: readonly string[];
  limit: number;
};

/** What matching reads of a purchase document. */
export type MatchPurchase = Pick<
  PurchaseSnapshot,
  'id' | 'kind' | 'reference' | 'amount' | 'deleted' | 'purchase_order_id'
>;

/** What an invoice that is on the ticket already counts there: what a credit note takes away is negative. */
export type LinkedInvoice = { ht: number; ttc: number };

/**
 * A ticket that may be the one. `purchases` are all of the ticket, `held` what it is known by (`heldBy`); `excluded`: an
 * operator took this invoice from it.
 */
export type Candidate = {
  ticket: TicketSnapshot;
  purchases: readonly MatchPurchase[];
  held: readonly HeldForms[];
  locations: readonly LocationSnapshot[];
  linked: readonly LinkedInvoice[];
  excluded?: boolean;
};

/** An invoice of the same supplier that a credit note or a corrective invoice names (found by `precedingKeys`). */
export type PrecedingInvoice = { id: string; number: string; ticketId: string | null };

/** Amounts in the invoice's currency; parts are fractions of the amount compared with. */
export type MatchSettings = {
  autoScore: number;
  autoMargin: number;
  suggestScore: number;
  suggestions: number;
  toleranceAmount: number;
  tolerancePart: number;
  /** The currency of purchase documents and quotes, which name none. */
  currency: string;
};

export type MatchInput = {
  invoice: CanonicalInvoice;
  supplier: SupplierMatch;
  candidates: readonly Candidate[];
  /** For credit notes and corrective invoices; of others it is not looked at. */
  preceding?: readonly PrecedingInvoice[];
  /** How the supplier writes references, learned from links by hand. */
  habits?: readonly Habit[];
  settings?: Partial<MatchSettings>;
};

/** A ticket with its score (30 to 100) and why, in words for operators. */
export type Suggestion = {
  ticketId: string;
  viewId: string;
  number: string;
  title: string;
  score: number;
  reasons: string[];
};

/**
 * `auto`: link to `ticketId` on `viewId`, the view of `contractorId`. `queue`: these three are null, a person chooses.
 * `score` is the best one (null: no candidate), `margin` what it has over the second; `suggestions` best first, the
 * chosen ticket among them. `flags` speak of the invoice and of the best ticket.
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
