import type { InvoiceSupplier } from '@app/contracts';
import { matchSupplier, nameKey, supplierNumbers, vatKey } from '../supplier.ts';

const nobody: InvoiceSupplier = {
  externalId: null,
  name: 'A',
  siret: null,
  siren: null,
  vatNumber: null,
  accounts: [],
};
const iban = 'FR7630006000011234567890189';

test.each([
  ['its SIREN', { siren: '732 829 320' }, '732829320'],
  ['a SIRET where the SIREN belongs', { siren: '73282932000074' }, '732829320'],
  ['its SIRET', { siret: '732 829 320 00074' }, '732829320'],
  ['a French VAT number', { vatNumber: 'FR 44 732829320' }, '732829320'],
  ['the SIREN before all else', { siren: '732829320', siret: '35600000000048' }, '732829320'],
  ['nothing', {}, null],
])('the SIREN comes from %s', (_from, given, siren) => {
  expect(supplierNumbers({ ...nobody, ...given }, []).siren).toBe(siren);
});

test.each([
  ['siren_checksum', { siren: '732829321' }],
  ['iban_invalid', { siren: '732829320', accounts: ['FR00 1234'] }],
  ['supplier_is_client', { siren: '552100554' }],
])('%s is flagged', (flag, given) => {
  expect(supplierNumbers({ ...nobody, ...given }, ['552100554']).flags).toEqual([flag]);
});

test('the client itself is not the supplier', () => {
  expect(supplierNumbers({ ...nobody, siren: '552100554' }, ['552100554'])).toMatchObject({ siren: null, siret: null });
});

const lyon = { id: 'a'.repeat(24), siren: '732829320', siret: '73282932000074', accounts: [] };
const metz = { id: 'b'.repeat(24), siren: '732829320', siret: '73282932000082', accounts: [iban] };
const other = { id: 'c'.repeat(24), siren: '356000000', siret: '35600000000048', accounts: [] };
const unnumbered = { id: 'd'.repeat(24), siren: null, siret: null, accounts: [iban] };

test.each([
  ['one contractor has the SIREN', { siren: '732829320' }, [lyon, other], lyon.id, [lyon.id], []],
  ['the SIRET tells two apart', { siret: metz.siret }, [lyon, metz], metz.id, [metz.id], []],
  [
    'the IBAN tells two apart',
    { siren: '732829320', accounts: ['DE89370400440532013000', iban] },
    [lyon, metz],
    metz.id,
    [metz.id],
    [],
  ],
  ['nothing does', { siren: '732829320' }, [metz, lyon], null, [lyon.id, metz.id], ['supplier_ambiguous']],
  ['a SIREN that nobody has', { siren: '443061841' }, [lyon, other], null, [], []],
  ['no SIREN, though the IBAN is known', { accounts: [iban] }, [unnumbered, metz], null, [], []],
])('%s', (_case, given, contractors, contractorId, contractorIds, flags) => {
  const numbers = supplierNumbers({ ...nobody, ...given }, []);
  expect(matchSupplier(numbers, contractors)).toEqual({ contractorId, contractorIds, flags });
});

test.each([
  ['Plomberie Durand SARL', 'PLOMBERIE DURAND'],
  ['S.A.S. Électricité  Générale & Fils', 'ELECTRICITE GENERALE FILS'],
  ['Müller und Söhne GmbH', 'MULLER SOHNE'],
  ['SARL', null],
  ['', null],
  [null, null],
])('the name %j is compared as %j', (name, key) => expect(nameKey(name)).toBe(key));

test.each([
  ['DE 123.456-789', 'DE123456789'],
  ['', null],
  [null, null],
])('the VAT number %j is compared as %j', (vatNumber, key) => expect(vatKey(vatNumber)).toBe(key));
