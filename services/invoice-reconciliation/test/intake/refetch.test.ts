import type { InvoiceSupplier } from '@app/contracts';
import { updateLinked } from '../../intake/refetch.ts';
import { aFetchedInvoice, anInvoice, at, canonical } from '../invoices.ts';

const foreign = { ...canonical.supplier, siren: null, name: 'Kälte & Söhne GmbH', vatNumber: 'DE811907980' };
const nameless = { ...foreign, vatNumber: null };

/** The state of a linked invoice after a refetch with another supplier. */
function after(before: InvoiceSupplier, supplier: InvoiceSupplier): string {
  const known = anInvoice({ state: 'done', ticket_id: 'a', canonical: { ...canonical, supplier: before } });
  return updateLinked(known, { fetched: aFetchedInvoice(), canonical: { ...canonical, supplier } }, at).invoice.state;
}

test.each([
  ['another VAT number', foreign, { vatNumber: 'DE136695976' }],
  ['another name where there is no VAT number', nameless, { name: 'Wärme AG' }],
  ['a VAT number that came to another name', nameless, { name: 'Wärme AG', vatNumber: 'DE136695976' }],
  ['a SIREN that came to another name', foreign, { name: 'Froid', vatNumber: null, siren: '732829320' }],
])('a supplier without SIREN that changes needs a person: %s', (_what, before, change) => {
  expect(after(before, { ...before, ...change })).toBe('manual_review');
});

test.each([
  ['the VAT number with spaces', foreign, { vatNumber: 'de 811 907 980' }],
  ['another name of the same VAT number', foreign, { name: 'Kälte und Söhne' }],
  ['the name in capitals, without accents', nameless, { name: 'KALTE & SOHNE GMBH' }],
  ['its VAT number is known now', nameless, { vatNumber: 'DE811907980' }],
  ['another name of the same SIREN', canonical.supplier, { name: 'Froid Service SARL' }],
])('a supplier that is only written differently does not: %s', (_what, before, change) => {
  expect(after(before, { ...before, ...change })).toBe('done');
});
