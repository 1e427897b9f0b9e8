import type { CanonicalInvoice } from '@app/contracts';
import {
  amountsInconsistent,
  type CandidateLookup,
  candidateLookup,
  hasUnconfirmedAccount,
  type KnownAccounts,
  type SupplierMatch,
  type SupplierNumbers,
} from '@app/matching';
import { compareDuplicates, type DuplicateCandidate } from '../invoices/duplicates.ts';
import {
  chainDecisions,
  type Decision,
  type Invoice,
  type InvoiceKeys,
  type ReviewReason,
  unchanged,
  withFlags,
} from '../invoices/invoice.ts';
import { hasEnded } from '../invoices/provider-status.ts';
import { move } from '../invoices/state-machine.ts';
import { amountKey } from '../projections/amount-key.ts';
import { isLinkClaim } from './ticket-target.ts';

const maxKeys = 300;

/** What is known of the supplier; `accounts` are those of the contractor. */
export type FoundSupplier = { numbers: SupplierNumbers; supplier: SupplierMatch; accounts: KnownAccounts };
/** An account of an invoice that is also on invoices of another supplier. */
export type SharedAccount = { account: string; siren: string; name: string | null };
export type Identified = FoundSupplier & { duplicates: readonly DuplicateCandidate[] };

/** `creditsRefused`: it is the credit note of an invoice that was refused. */
type Suspected = Identified & { creditsRefused: boolean };

/** The supplier step: what must not be linked without a person goes to review; otherwise the supplier is known, or not. */
export function identified(invoice: Invoice, found: Suspected, at: Date): Decision {
  const { suspected, flags: duplicateFlags, claims } = compareDuplicates(invoice, found.duplicates);
  const { supplier } = found;
  const set = {
    ...supplierFields(invoice, found),
    claims: [...claims, ...invoice.claims.filter(isLinkClaim)],
    flags: withFlags(invoice.flags, ...supplier.flags, ...duplicateFlags),
  };
  const reasons = reviewReasons(invoice, { ...found, suspected });
  if (reasons.length > 0) {
    return move(invoice, { trigger: 'block', at, reason: reasons.join(', '), set: { ...set, reasons } });
  }
  if (supplier.contractorId === null) {
    const reason =
      supplier.contractorIds.length > 1 ? 'several contractors have this SIREN' : 'no contractor has this SIREN';
    return move(invoice, { trigger: 'supplier_missing', at, reason, set });
  }
  const known = move(invoice, { trigger: 'supplier_found', at, set });
  return chainDecisions(known, (one) => (hasNewAccount(one, found.accounts) ? reviewAccount(one, at) : unchanged(one)));
}

type Suspicions = { suspected: boolean; numbers: SupplierNumbers; creditsRefused?: boolean };

/** Why the invoice needs a person, without the reasons that an operator has overridden. */
export function reviewReasons(
  invoice: Invoice,
  { suspected, numbers, creditsRefused = false }: Suspicions,
): ReviewReason[] {
  const canonical = invoice.canonical as CanonicalInvoice;
  const found: [ReviewReason, boolean][] = [
    ['duplicate_suspected', suspected],
    ['amounts_inconsistent', amountsInconsistent(canonical)],
    ['provider_status', hasEnded(invoice.provider_status)],
    ['document_hash_mismatch', invoice.flags.includes('document_hash_mismatch')],
    ['supplier_is_client', numbers.flags.includes('supplier_is_client')],
    ['credits_refused', creditsRefused],
    ['several_parties', canonical.isShared === true],
  ];
  return found.flatMap(([reason, holds]) => (holds && !invoice.acknowledged.includes(reason) ? [reason] : []));
}

/** True if an account of the invoice may be none of the contractor's, unless an operator has overridden that. */
export function hasNewAccount({ acknowledged, canonical }: Invoice, known: KnownAccounts): boolean {
  return !acknowledged.includes('iban_changed') && hasUnconfirmedAccount(canonical?.supplier.accounts ?? [], known);
}

export function reviewAccount(invoice: Invoice, at: Date): Decision {
  const trigger = invoice.state === 'ticket_unmatched' ? 'rematch_block' : 'iban_change';
  const reasons: ReviewReason[] = ['iban_changed'];
  const set = { reasons, rematch_at: null };
  return move(invoice, { trigger, at, reason: 'the contractor is not known by this account', set });
}

/** The lookup of an invoice after its supplier step. */
export function lookupOf(invoice: Invoice, supplier: SupplierMatch): CandidateLookup {
  return candidateLookup(invoice.canonical as CanonicalInvoice, supplier);
}

/** The result of the supplier step, as the invoice keeps it. */
export function supplierOf({ supplier_id, supplier_ids }: Invoice): SupplierMatch {
  return { contractorId: supplier_id, contractorIds: supplier_ids, flags: [] };
}

/** The fields of the invoice that the supplier step sets. */
export function supplierFields(
  invoice: Invoice,
  { numbers, supplier }: Pick<FoundSupplier, 'numbers' | 'supplier'>,
): Pick<Invoice, 'supplier_id' | 'supplier_ids' | 'keys'> {
  const { keys: references } = lookupOf(invoice, supplier);
  const { amounts } = invoice.canonical as CanonicalInvoice;
  const cents = [...new Set([amounts.ht, amounts.ttc].map((amount) => Math.round(amount * 100)))];
  const keys: InvoiceKeys = {
    lookupKeys: invoice.keys.lookupKeys,
    references: references.slice(0, maxKeys),
    siren: numbers.siren,
    amounts: [...supplier.contractorIds, ...(supplier.likelyIds ?? [])]
      .flatMap((contractorId) => cents.map((amount) => amountKey(contractorId, amount)))
      .slice(0, maxKeys),
  };
  return { supplier_id: supplier.contractorId, supplier_ids: supplier.contractorIds, keys };
}
