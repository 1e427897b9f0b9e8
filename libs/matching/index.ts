export { candidateLookup, purchaseKeys, ticketKeys } from './candidates.ts';
export { amountsInconsistent, hasUnconfirmedAccount, type KnownAccounts } from './consistency-checks.ts';
export { decide, rankTickets } from './decide.ts';
export {
  compareInvoices,
  duplicateKey,
  duplicateMarks,
  type InvoiceFingerprint,
  isSameNumber,
  numberKey,
  precedingNumbers,
} from './duplicates.ts';
export {
  type Candidate,
  type CandidateLookup,
  defaultSettings,
  type KnownContractor,
  knownFlags,
  type LinkedInvoice,
  type MatchDecision,
  type MatchInput,
  type MatchSettings,
  type PrecedingInvoice,
  type RankedTicket,
  type Suggestion,
  type SupplierMatch,
  type SupplierNumbers,
} from './matching.ts';
export {
  type IndexedReference,
  knownReferenceKinds,
  knownReferences,
  type MatchPurchase,
} from './references/known-references.ts';
export { locationKeys, placeKeys } from './references/location-mentions.ts';
export { referenceKeys } from './references/references.ts';
export {
  minPatternInvoices,
  observedPatterns,
  patternKey,
  type ReferencePattern,
} from './references/supplier-reference-patterns.ts';
export { amountLevels, type Signal, signalCodes } from './scoring/signal.ts';
export { ticketTraits } from './scoring/signals.ts';
export { matchSupplier, nameKey, supplierNumbers, vatKey } from './supplier.ts';
