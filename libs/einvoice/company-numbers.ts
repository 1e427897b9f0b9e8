import { hasSirenKey, readFrenchVat, readSiren, readSiret, sirenOf } from '@app/kernel';
import type { Identifier, PartyFields } from './document-fields.ts';

type CompanyNumbers = { siren: string | null; siret: string | null; vatNumber: string | null };
type Found = { siren: string | null; siret: string | null };

/** Countries (ISO 3166) whose companies are in the SIRENE register. */
const sirenCountries = new Set(['FR', 'GP', 'MQ', 'GF', 'RE', 'YT', 'PM', 'BL', 'MF']);
const nothing: Found = { siren: null, siret: null };

/**
 * Finds the French company numbers of a party among its identifiers. The scheme identifies the register but not the length:
 * documents give SIRETs under 0002 and SIRENs under 0009.
 */
export function companyNumbers(party: PartyFields): CompanyNumbers {
  const vatNumber = party.vatNumbers.map(readVatNumber).find((number) => number !== null) ?? null;
  const isFrench =
    party.country === null ? !vatNumber || vatNumber.startsWith('FR') : sirenCountries.has(party.country);
  const found = party.identifiers.map((identifier) => read(identifier, isFrench));
  const sirets = found.flatMap(({ siret }) => siret ?? []);
  const siren = sirenOf({
    siren: found.find((numbers) => numbers.siren !== null)?.siren ?? null,
    siret: sirets[0] ?? null,
    vatNumber,
  });
  const siret = sirets.find((number) => siren !== null && number.startsWith(siren)) ?? sirets[0] ?? null;
  return { siren, siret, vatNumber };
}

function read({ scheme, value }: Identifier, isFrench: boolean): Found {
  if (scheme === null) return isFrench ? withRightKey(value) : nothing;
  if (scheme === '0225') return ofElectronicAddress(value);
  if (scheme === '9957') return { siren: readFrenchVat(value)?.siren ?? null, siret: null };
  const isRegister = scheme === '0002' || scheme === '0009' || /SIRE(N|T)/i.test(scheme);
  // Any other scheme is another register: nine digits of a DUNS number are no SIREN.
  return isRegister ? ofRegister(value) : nothing;
}

function ofRegister(value: string): Found {
  const siret = readSiret(value);
  return siret === null ? { siren: readSiren(value), siret: null } : { siren: siret.slice(0, 9), siret };
}

/** Without a scheme only the check digit distinguishes a company number from a customer number. */
function withRightKey(value: string): Found {
  if (value.includes('@')) return nothing;
  const found = ofRegister(value);
  return found.siren !== null && hasSirenKey(found.siren) ? found : nothing;
}

/** `<siren>[_<siret>[_<code>]]` (AFNOR XP Z12-012). */
function ofElectronicAddress(value: string): Found {
  const [, siren, siret] = /^(\d{9})(?:_(\d{14}))?(?:_.*)?$/s.exec(value.replace(/\s/g, '')) ?? [];
  return siren === undefined ? ofRegister(value) : { siren, siret: siret ?? null };
}

/** A VAT number without separators: two letters of the country, then the number; null for any other form. */
function readVatNumber(text: string): string | null {
  const number = text.replace(/[\s\u00a0\u202f.-]/g, '').toUpperCase();
  return /^[A-Z]{2}[A-Z0-9+*]{2,13}$/.test(number) && /\d/.test(number) ? number : null;
}
