import type { CanonicalInvoice, InvoiceSupplier } from '@app/contracts';

/** Whether amount, supplier or IBAN are others by now: a change that a person has to look at (row 21). */
export function isMaterial(before: CanonicalInvoice | null, after: CanonicalInvoice): boolean {
  const told = (one: CanonicalInvoice | null) =>
    JSON.stringify([one?.amounts, one?.currency, one?.supplier.siren, one?.supplier.siret, one?.supplier.iban]);
  return told(before) !== told(after) || isOtherSupplier(before?.supplier, after.supplier);
}

/** Where no SIREN says who it is: by the VAT number, else by the name, however it is written. */
function isOtherSupplier(before: InvoiceSupplier | undefined, after: InvoiceSupplier): boolean {
  if (before?.siren && after.siren) return false;
  if (before?.vatNumber && after.vatNumber) return letters(before.vatNumber) !== letters(after.vatNumber);
  return letters(before?.name) !== letters(after.name);
}

function letters(text: string | null | undefined): string {
  const plain = (text ?? '').normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
  return plain.toUpperCase();
}
