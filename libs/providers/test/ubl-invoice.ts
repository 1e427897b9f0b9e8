import type { Sample } from '../../einvoice/test/sample.ts';
import { writeUbl } from '../../einvoice/test/write-ubl.ts';

const known: Sample = {
  typeCode: '380',
  number: 'FA-2026-0101',
  issueDate: '2026-11-16',
  dueDate: '2026-12-16',
  currency: 'EUR',
  seller: {
    name: 'Chauffage Durand SARL',
    legalId: { scheme: '0002', value: '732829320' },
    ids: [{ scheme: '0009', value: '73282932000074' }],
    address: { scheme: '0225', value: '732829320_STATUTS' },
    vat: 'FR44732829320',
  },
  buyer: { name: 'Bureaux &amp; Co &lt;Lyon&gt;', legalId: { scheme: '0002', value: '356000000' } },
  order: 'PO-2026-001',
  accounts: ['FR7630006000011234567890189'],
  totals: { ht: '521.00', tva: [{ currency: 'EUR', amount: '104.20' }], ttc: '625.20', due: '625.20' },
  vat: [{ category: 'S', percent: '20.00', base: '521.00', amount: '104.20' }],
  lines: [
    { name: 'Boiler repair', qty: '1', price: '450.00', ht: '450.00', percent: '20.00' },
    { name: 'Burner nozzle', qty: '2', price: '35.50', ht: '71.00', percent: '20.00' },
  ],
};

/** The known invoice (fake-provider.ts) as UBL 2.1, with another number or type if given. */
export function ublInvoice(given: Partial<Sample> = {}): Buffer {
  return Buffer.from(writeUbl({ ...known, ...given }));
}
