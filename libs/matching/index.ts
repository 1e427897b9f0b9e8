export { candidateLookup, purchaseKeys, ticketKeys } from './candidates.ts';
export { decide } from './decide.ts';
export {
  amountsInconsistent,
  duplicateKey,
  type InvoiceTwin,
  ibanChanged,
  numberKey,
  precedingKeys,
  sameInvoice,
} from './guards.ts';
export { type Habit, habitShownBy, habitsOf, keyOf as habitKey } from './habits.ts';
export { type HeldForms, heldBy } from './held.ts';
export type {
  Candidate,
  CandidateLookup,
  Flag,
  KnownContractor,
  LinkedInvoice,
  MatchDecision,
  MatchInput,
  MatchKeys,
  MatchPurchase,
  MatchSettings,
  PrecedingInvoice,
  Suggestion,
  SupplierMatch,
  SupplierNumbers,
} from './matching.ts';
export { referenceKeys } from './references.ts';
export { defaultSettings, scoreVersion } from './settings.ts';
export { ticketTraits } from './signals.ts';
export { matchSupplier, nameKey, supplierNumbers, vatKey } from './supplier.ts';
