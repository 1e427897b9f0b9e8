import type {
  CanonicalInvoice,
  LocationSnapshot,
  PurchaseSnapshot,
  QuoteSnapshot,
  TicketSnapshot,
} from '@app/contracts';
import type { Candidate, SupplierMatch } from '../matching.ts';
import { knownReferences } from '../references/known-references.ts';

export const contractor = 'c'.repeat(24);
export const known: SupplierMatch = { contractorId: contractor, contractorIds: [contractor], flags: [] };
export const unknown: SupplierMatch = { contractorId: null, contractorIds: [], flags: [] };

/** A finished ticket of the contractor, its intervention on 10 March 2026. */
export function ticket(id: string, given: Partial<TicketSnapshot> = {}): TicketSnapshot {
  const view = { company_id: null, status: 'finished' };
  return {
    id: id.padEnd(24, '0'),
    version: 1,
    number: `T-00${id}`,
    title: 'Fuite',
    client_id: 'e'.repeat(24),
    status: 'finished',
    typology_id: 'f'.repeat(24),
    maintenance: null,
    location_ids: [],
    quotes: [],
    created_at: '2026-03-01T08:00:00.000Z',
    updated_at: '2026-03-10T08:00:00.000Z',
    last_intervention_at: '2026-03-10T08:00:00.000Z',
    views: [
      { ...view, id: `a${id}`.padEnd(24, '0'), role: 'client', contractor_id: null, state: 'client' },
      { ...view, id: `b${id}`.padEnd(24, '0'), role: 'contractor', contractor_id: contractor, state: 'active' },
    ],
    ...given,
  };
}

export function order(
  reference: string,
  amount: number | null,
  given: Partial<PurchaseSnapshot> = {},
): PurchaseSnapshot {
  const at = '2026-03-01T08:00:00.000Z';
  return {
    id: reference.padEnd(24, '0'),
    kind: 'purchase_order',
    reference,
    source_system: null,
    quote_id: null,
    purchase_order_id: null,
    date: at,
    amount,
    includes_vat: false,
    buyer_company_id: 'e',
    supplier_company_id: null,
    supplier_contractor_id: null,
    created_at: at,
    ticket_id: '',
    version: 1,
    document_id: null,
    s3_key: null,
    from_api: true,
    created_by: 'u',
    updated_at: at,
    updated_by: 'u',
    deleted: false,
    ...given,
  };
}

export function receipt(of: PurchaseSnapshot, reference: string): PurchaseSnapshot {
  return order(reference, null, { kind: 'goods_receipt', purchase_order_id: of.id });
}

export function quote(reference: string, price: string, status: QuoteSnapshot['status'] = 'validated'): QuoteSnapshot {
  const own = { id: reference, reference, price, status };
  return { ...own, includes_vat: false, contractor_id: contractor, validated_at: null };
}

export function candidate(snapshot: TicketSnapshot, given: Partial<Candidate> = {}): Candidate {
  const references = knownReferences(snapshot, given.purchases ?? []);
  return { ticket: snapshot, purchases: [], references, locations: [], linked: [], ...given };
}

export function place(given: Partial<LocationSnapshot> = {}): LocationSnapshot {
  const none = { reference: null, postal_code: null, facturation_name: null, deleted: false };
  return { id: '1', version: 1, client_id: 'e', name: 'Agence Lyon', ...none, ...given };
}

/** Issued on 20 March 2026, 1 000.00 without VAT; `poRef` in the field for the order. */
export function invoice(poRef: string | null, given: Partial<CanonicalInvoice> = {}): CanonicalInvoice {
  const supplier = {
    externalId: null,
    name: 'Plomberie Martin',
    siret: null,
    siren: null,
    vatNumber: null,
    accounts: [],
  };
  return {
    kind: 'invoice',
    number: 'F-2026-001',
    issueDate: '2026-03-20',
    dueDate: null,
    currency: 'EUR',
    supplier,
    buyer: null,
    amounts: { ht: 1000, tva: 200, ttc: 1200 },
    vatBreakdown: [],
    lines: [],
    references: [],
    notes: [],
    matchHints: { poRef, ticketRef: null, orderRef: null },
    places: [],
    providerStatus: null,
    warnings: [],
    ...given,
  };
}

export function amounts(ht: number): CanonicalInvoice['amounts'] {
  return { ht, tva: Math.round(ht * 20) / 100, ttc: Math.round(ht * 120) / 100 };
}
