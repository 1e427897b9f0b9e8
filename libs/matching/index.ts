export { candidateLookup, purchaseKeys, ticketKeys } from './candidates.ts';
export { amountsInconsistent, ibanChanged } from './consistency-checks.ts';
export { decide, rankTickets } from './decide.ts';
export { compareInvoices, duplicateKey, type InvoiceFingerprint, numberKey, precedingKeys } from './duplicates.ts';
export { type IndexedReference, knownReferenceKinds, knownReferences, type MatchPurchase } from './known-references.ts';
export {
  type Candidate,
  type CandidateLookup,
  defaultSettings,
  type Flag,
  type KnownContractor,
  type LinkedInvoice,
  type MatchDecision,
  type MatchInput,
  type MatchKeys,
  type MatchSettings,
  type PrecedingInvoice,
  type RankedTicket,
  type Suggestion,
  type SupplierMatch,
  type SupplierNumbers,
  scoreVersion,
} from './matching.ts';
export { referenceKeys } from './references.ts';
export { amountLevels, type Signal, type SignalCode, type SignalValues, signalCodes } from './signal.ts';
export { ticketTraits } from './signals.ts';
export { matchSupplier, nameKey, supplierNumbers, vatKey } from './supplier.ts';
export {
  minPatternInvoices,
  observedPatterns,
  patternKey,
  type ReferencePattern,
} from './supplier-reference-patterns.ts';
