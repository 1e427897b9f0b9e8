import type { InvoiceSupplier } from '@app/contracts';
import { hasSirenKey, readFrenchVat, readIban, readSiren, readSiret } from '@app/kernel';
import type { Flag, KnownContractor, SupplierMatch, SupplierNumbers } from './matching.ts';
import { compact, plain } from './references.ts';

/**
 * The SIREN to go by: the supplier's own, else the first 9 digits of its SIRET, else the last 9 of a French VAT number
 * (of Monaco's, 000…, none). A wrong key is a flag, no more; the client's own SIREN is none (spec: domain.md section 3).
 */
export function supplierNumbers(supplier: InvoiceSupplier, clientSirens: readonly string[]): SupplierNumbers {
  const inSiren = supplier.siren ?? '';
  // Documents put a SIRET where the SIREN belongs (scheme 0002 with 14 digits).
  const siret = readSiret(supplier.siret ?? '') ?? readSiret(inSiren);
  const siren = readSiren(inSiren) ?? siret?.slice(0, 9) ?? readFrenchVat(supplier.vatNumber ?? '')?.siren ?? null;
  const iban = supplier.iban === null ? null : readIban(supplier.iban);
  const flags: Flag[] = supplier.iban !== null && iban === null ? ['iban_invalid'] : [];
  if (siren !== null && clientSirens.includes(siren)) {
    return { siren: null, siret: null, iban, flags: ['supplier_is_client', ...flags] };
  }
  if (siren !== null && !hasSirenKey(siren)) flags.unshift('siren_checksum');
  return { siren, siret, iban, flags };
}

/**
 * Which of the client's contractors it is: the one of that SIREN; of several the one of that SIRET, else the only one
 * known by that IBAN, else all of them (spec: domain.md section 3). Contractors of another SIREN are passed over.
 */
export function matchSupplier(numbers: SupplierNumbers, contractors: readonly KnownContractor[]): SupplierMatch {
  const { siren, siret, iban, flags } = numbers;
  const same = siren === null ? [] : contractors.filter((one) => (one.siren ?? one.siret?.slice(0, 9)) === siren);
  const bySiret = same.filter((one) => siret !== null && one.siret === siret);
  const byIban = same.filter(({ ibans }) => iban !== null && ibans.includes(iban));
  const [only] = [same, bySiret, byIban].find(({ length }) => length === 1) ?? [];
  if (only) return { contractorId: only.id, contractorIds: [only.id], flags };
  const open = bySiret.length > 1 ? bySiret : same;
  return {
    contractorId: null,
    contractorIds: open.map(({ id }) => id).sort(),
    flags: open.length > 1 ? [...flags, 'supplier_ambiguous'] : flags,
  };
}

const legalForms = new Set([
  ...[
    'SA',
    'SAS',
    'SASU',
    'SARL',
    'EURL',
    'SNC',
    'SCI',
    'SCOP',
    'EI',
    'EIRL',
    'STE',
    'SOCIETE',
    'ETS',
    'ETABLISSEMENTS',
  ],
  ...[
    'GMBH',
    'AG',
    'KG',
    'LTD',
    'LIMITED',
    'INC',
    'LLC',
    'BV',
    'NV',
    'SRL',
    'SPA',
    'SL',
    'SPRL',
    'BVBA',
    'ET',
    'AND',
    'UND',
  ],
]);
const shortestKey = 4;

/** A company's name as it is compared: without accents, punctuation and legal forms; null where too little is left. */
export function nameKey(name: string | null): string | null {
  const words = plain(name ?? '')
    .replaceAll('.', '')
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '' && !legalForms.has(word));
  const key = words.join(' ');
  return key.length < shortestKey ? null : key;
}

/** A VAT number as it is compared; null where too little is left. */
export function vatKey(vatNumber: string | null): string | null {
  const key = compact(plain(vatNumber ?? ''));
  return key.length < shortestKey ? null : key;
}
