import type { InvoiceSupplier } from '@app/contracts';
import { hasSirenKey, readFrenchVat, readIban, readSiren, readSiret } from '@app/kernel';
import type { Flag, KnownContractor, SupplierMatch, SupplierNumbers } from './matching.ts';
import { compact, plain } from './references/references.ts';

/**
 * Reads the supplier's SIREN: its own, else the first 9 digits of its SIRET, else the last 9 of a French VAT number (those
 * of Monaco, 000…, contain none). A wrong check digit is only flagged. The client's own SIREN is not a supplier's.
 */
export function supplierNumbers(supplier: InvoiceSupplier, clientSirens: readonly string[]): SupplierNumbers {
  const inSiren = supplier.siren ?? '';
  // Some documents give a SIRET as the SIREN (scheme 0002 with 14 digits).
  const siret = readSiret(supplier.siret ?? '') ?? readSiret(inSiren);
  const siren = readSiren(inSiren) ?? siret?.slice(0, 9) ?? readFrenchVat(supplier.vatNumber ?? '')?.siren ?? null;
  const { accounts } = supplier;
  const flags: Flag[] = accounts.some((account) => readIban(account) === null) ? ['iban_invalid'] : [];
  if (siren !== null && clientSirens.includes(siren)) {
    return { siren: null, siret: null, accounts, flags: ['supplier_is_client', ...flags] };
  }
  if (siren !== null && !hasSirenKey(siren)) flags.unshift('siren_checksum');
  return { siren, siret, accounts, flags };
}

/**
 * Finds the supplier among the client's contractors: the one with its SIREN; among several the one with its SIRET, else the
 * only one known by an account of the invoice, else all of them.
 */
export function matchSupplier(numbers: SupplierNumbers, contractors: readonly KnownContractor[]): SupplierMatch {
  const { siren, siret, accounts, flags } = numbers;
  const same = siren === null ? [] : contractors.filter((one) => (one.siren ?? one.siret?.slice(0, 9)) === siren);
  const bySiret = same.filter((one) => siret !== null && one.siret === siret);
  const byAccount = same.filter((one) => accounts.some((account) => one.accounts.includes(account)));
  const [only] = [same, bySiret, byAccount].find(({ length }) => length === 1) ?? [];
  if (only) return { contractorId: only.id, contractorIds: [only.id], flags };
  const open = bySiret.length > 1 ? bySiret : same;
  return {
    contractorId: null,
    contractorIds: open.map(({ id }) => id).sort(),
    flags: open.length > 1 ? [...flags, 'supplier_ambiguous'] : flags,
  };
}

const legalForms = new Set(
  [
    'SA SAS SASU SARL EURL SNC SCI SCOP EI EIRL STE SOCIETE ETS ETABLISSEMENTS',
    'GMBH AG KG LTD LIMITED INC LLC BV NV SRL SPA SL SPRL BVBA ET AND UND',
  ].flatMap((line) => line.split(' ')),
);
const minKeyLength = 4;

/** A company name for comparison, without accents, punctuation and legal forms; null if fewer than 4 characters remain. */
export function nameKey(name: string | null): string | null {
  const words = plain(name ?? '')
    .replaceAll('.', '')
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '' && !legalForms.has(word));
  const key = words.join(' ');
  return key.length < minKeyLength ? null : key;
}

/** A VAT number for comparison; null if fewer than 4 characters remain. */
export function vatKey(vatNumber: string | null): string | null {
  const key = compact(plain(vatNumber ?? ''));
  return key.length < minKeyLength ? null : key;
}
