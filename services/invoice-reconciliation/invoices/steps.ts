import type { CanonicalInvoice } from '@app/contracts';
import {
  amountsInconsistent,
  type CandidateLookup,
  candidateLookup,
  ibanChanged,
  type SupplierMatch,
  type SupplierNumbers,
} from '@app/matching';
import { amountKey } from './amount-key.ts';
import { hasEnded } from './arrival.ts';
import { compareTwins, type Twin, twinKeys } from './identity.ts';
import { type Decision, type Invoice, type InvoiceKeys, noKeys, type StepName, then, unchanged } from './invoice.ts';
import { move } from './machine.ts';

const keysKept = 300;

/** Row 4. `damaged`: the document's bytes are not those that were fetched. */
export function normalized(
  invoice: Invoice,
  read: { canonical: CanonicalInvoice; damaged: boolean },
  at: Date,
): Decision {
  const { canonical, damaged } = read;
  const keys = { ...noKeys, twins: twinKeys(canonical, invoice.content.document?.hash ?? null) };
  const flags = damaged ? ['document_hash_mismatch'] : [];
  const set = { canonical, provider_status: canonical.providerStatus, keys, flags };
  return move(invoice, { trigger: 'normalize', at, set });
}

/** Why content can't be read, in general (`unmappable`, `document_refused`) and in words. */
export type Unreadable = { code: string; message: string };

/** Row 5: for good; only a resync or other content tries again. */
export function unmappable(invoice: Invoice, { code, message }: Unreadable, at: Date): Decision {
  const failure = { step: 'normalize', code, attempts: 1, from: 'received' } as const;
  return move(invoice, { trigger: 'unmappable', at, reason: message, set: { failure } });
}

export type Failed = { step: StepName; code: string; delaysMs: readonly number[] };

/** Row 2b: our own failure, tried again after the next of the delays; after the last one it waits for a resync. */
export function failed(invoice: Invoice, { step, code, delaysMs }: Failed, at: Date): Decision {
  const attempts = (invoice.failure?.attempts ?? 0) + 1;
  const delay = delaysMs[attempts - 1];
  const due_at = delay === undefined ? null : new Date(at.getTime() + delay);
  const failure = { step, code, attempts, from: invoice.state };
  return move(invoice, { trigger: 'fail', at, reason: `${step}: ${code}`, set: { failure, due_at } });
}

/** `ibans` are those that the contractor is known by. */
export type Identified = {
  twins: readonly Twin[];
  numbers: SupplierNumbers;
  supplier: SupplierMatch;
  ibans: readonly string[];
};

/** Rows 6 to 9: what must not be placed blindly waits for a person; else the supplier is known, or not. */
export function identified(invoice: Invoice, facts: Identified, at: Date): Decision {
  const { suspected, flags: twinFlags, claims } = compareTwins(invoice, facts.twins);
  const { supplier } = facts;
  const places = invoice.claims.filter((claim) => claim.startsWith('t:'));
  const set = {
    ...supplierOf(invoice, facts),
    claims: [...claims, ...places],
    flags: [...new Set([...invoice.flags, ...supplier.flags, ...twinFlags])],
  };
  const reasons = blockers(invoice, { ...facts, suspected });
  if (reasons.length > 0) {
    return move(invoice, { trigger: 'block', at, reason: reasons.join(', '), set: { ...set, reasons } });
  }
  if (supplier.contractorId === null) {
    const reason =
      supplier.contractorIds.length > 1 ? 'several contractors have this SIREN' : 'no contractor has this SIREN';
    return move(invoice, { trigger: 'supplier_missing', at, reason, set });
  }
  const known = move(invoice, { trigger: 'supplier_found', at, set });
  return then(known, (one) => (hasForeignIban(one, facts.ibans) ? ibanReview(one, at) : unchanged(one)));
}

/** What must not be placed blindly (row 6), as far as no operator has passed it over. */
export function blockers(
  invoice: Invoice,
  { suspected, numbers }: Pick<Identified, 'numbers'> & { suspected: boolean },
): string[] {
  const canonical = invoice.canonical as CanonicalInvoice;
  const found: [string, boolean][] = [
    ['duplicate_suspected', suspected],
    ['amounts_inconsistent', amountsInconsistent(canonical)],
    ['provider_status', hasEnded(invoice.provider_status)],
    ['document_hash_mismatch', invoice.flags.includes('document_hash_mismatch')],
    ['supplier_is_client', numbers.flags.includes('supplier_is_client')],
  ];
  return found.flatMap(([reason, holds]) => (holds && !invoice.acknowledged.includes(reason) ? [reason] : []));
}

export function hasForeignIban(invoice: Invoice, ibans: readonly string[]): boolean {
  return !invoice.acknowledged.includes('iban_changed') && ibanChanged(invoice.canonical?.supplier.iban ?? null, ibans);
}

export function ibanReview(invoice: Invoice, at: Date): Decision {
  const trigger = invoice.state === 'ticket_unmatched' ? 'rematch_block' : 'iban_change';
  const reasons = ['iban_changed'];
  return move(invoice, {
    trigger,
    at,
    reason: 'the contractor is known by another IBAN',
    set: { reasons, rematch_at: null },
  });
}

/** The lookup of an invoice whose supplier step is done. */
export function lookupOf(invoice: Invoice, supplier: SupplierMatch): CandidateLookup {
  return candidateLookup(invoice.canonical as CanonicalInvoice, supplier);
}

/** What the supplier step found, as it is kept. */
export function supplierKept({ supplier_id, supplier_ids }: Invoice): SupplierMatch {
  return { contractorId: supplier_id, contractorIds: supplier_ids, flags: [] };
}

type Found = Pick<Identified, 'numbers' | 'supplier'>;

export function supplierOf(
  invoice: Invoice,
  { numbers, supplier }: Found,
): Pick<Invoice, 'supplier_id' | 'supplier_ids' | 'keys'> {
  const { keys } = lookupOf(invoice, supplier);
  const { amounts } = invoice.canonical as CanonicalInvoice;
  const cents = [...new Set([amounts.ht, amounts.ttc].map((amount) => Math.round(amount * 100)))];
  const found: InvoiceKeys = {
    twins: invoice.keys.twins,
    references: keys.slice(0, keysKept),
    siren: numbers.siren,
    amounts: [...supplier.contractorIds, ...(supplier.likelyIds ?? [])]
      .flatMap((one) => cents.map((amount) => amountKey(one, amount)))
      .slice(0, keysKept),
  };
  return { supplier_id: supplier.contractorId, supplier_ids: supplier.contractorIds, keys: found };
}
