import { pdfOf } from '../invoices/pdf.ts';
import type { StoredDocument } from './ledger.ts';

/** An invoice and a PDF of it. */
export type Sample = { invoice: Record<string, unknown> & { id: string }; document: StoredDocument };

const supplier = {
  id: 'sup_1',
  name: 'Chauffage Durand SARL',
  siren: '732829320',
  siret: '73282932000074',
  vat_number: 'FR44732829320',
  iban: 'FR7630006000011234567890189',
};

/** One with an order number, one without any reference, and a duplicate of the second. */
export function sampleInvoices(): Sample[] {
  return [
    sample({
      id: 'sample-1',
      number: 'FA-2026-0101',
      references: { purchase_order: 'PO-2026-001' },
      lines: [line('Boiler repair', '1', '450.00'), line('Burner nozzle', '2', '35.50')],
      amounts: { ht: '521.00', tva: '104.20', ttc: '625.20' },
    }),
    sample({
      id: 'sample-2',
      number: 'FA-2026-0102',
      lines: [line('Call-out and leak search', '1', '180.00')],
      amounts: { ht: '180.00', tva: '36.00', ttc: '216.00' },
      notes: ['Intervention at the warehouse, second floor'],
    }),
    sample({
      id: 'sample-3',
      number: 'FA 2026 0102',
      lines: [line('Call-out and leak search', '1', '180.00')],
      amounts: { ht: '180.00', tva: '36.00', ttc: '216.00' },
    }),
  ];
}

type Amounts = { ht: string; tva: string; ttc: string };

function sample(given: { id: string; number: string; amounts: Amounts } & Record<string, unknown>): Sample {
  const { ht, tva, ttc } = given.amounts;
  const invoice = {
    kind: 'invoice',
    issue_date: '2026-11-16',
    due_date: '2026-12-16',
    currency: 'EUR',
    supplier,
    vat_breakdown: [{ rate: '0.20', base: ht, amount: tva }],
    ...given,
  };
  const text = `${supplier.name}  -  Invoice ${given.number}  -  ${ttc} EUR`;
  return { invoice, document: { name: `${given.id}.pdf`, type: 'application/pdf', bytes: pdfOf([[text]]) } };
}

function line(label: string, quantity: string, price: string) {
  const ht = (Number(quantity) * Number(price)).toFixed(2);
  return { label, quantity, unit_price: price, ht, vat_rate: '0.20' };
}
