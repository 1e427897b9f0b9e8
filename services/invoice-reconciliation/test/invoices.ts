import type { CanonicalInvoice } from '@app/contracts';
import { newId } from '@app/kernel';
import { type FetchedInvoice, received } from '../intake/refetch.ts';
import type { Invoice } from '../invoices/invoice.ts';

export const at = new Date('2026-11-20T10:00:00.000Z');

export const canonical: CanonicalInvoice = {
  kind: 'invoice',
  number: 'FA-1',
  issueDate: '2026-11-12',
  dueDate: null,
  currency: 'EUR',
  supplier: { externalId: null, name: 'Froid', siret: null, siren: '732829320', vatNumber: null, accounts: [] },
  buyer: null,
  amounts: { ht: 100, tva: 20, ttc: 120 },
  vatBreakdown: [],
  lines: [],
  matchHints: { poRef: null, ticketRef: null, orderRef: null },
  references: [],
  notes: [],
  places: [],
  providerStatus: null,
  warnings: [],
};

export function aFetchedInvoice(given: Partial<FetchedInvoice> = {}): FetchedInvoice {
  const raw = { key: 'k', hash: 'a'.repeat(64), size: 1, type: 'application/json' };
  const content = { raw, document: null, fetched_at: at, sequence: at.getTime() };
  return {
    client_id: newId(),
    connection_id: newId(),
    provider: 'sandbox',
    external_id: 'x',
    resync: false,
    content,
    ...given,
  };
}

/** An invoice that was read, in any state. */
export function anInvoice(given: Partial<Invoice> = {}): Invoice {
  const { invoice } = received(aFetchedInvoice(), at);
  return { ...invoice, canonical, ...given };
}
