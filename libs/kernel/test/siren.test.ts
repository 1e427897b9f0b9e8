import { hasSirenKey, readFrenchVat, readSiren, readSiret, sirenOf } from '../siren.ts';

test.each([
  ['732829320', '732829320'],
  ['732 829 320', '732829320'],
  ['732\u00a0829\u202f320', '732829320'],
  ['732.829-320', '732829320'],
  ['SIREN : 732 829 320', '732829320'],
  ['RCS Lyon B 732 829 320', '732829320'],
  ['732 829 320 R.C.S. Paris', '732829320'],
  ['732829320 RM 69', '732829320'],
  ['RM 69 732829320', '732829320'],
  ['732829321', '732829321'],
  ['5720784', '005720784'],
  ['5720785', null],
  ['73282932000074', null],
  ['FR44732829320', null],
  ['en cours', null],
  ['', null],
])('the SIREN in %j is %j', (text, siren) => {
  expect(readSiren(text)).toBe(siren);
});

test.each([
  ['73282932000074', '73282932000074'],
  ['732 829 320 00074', '73282932000074'],
  ['SIRET 732.829.320-00074 - APE 4321A', '73282932000074'],
  ['35600000009075', '35600000009075'],
  ['73282932000075', '73282932000075'],
  ['732829320', null],
  ['572078400015', '00572078400015'],
  ['572078400014', null],
])('the SIRET in %j is %j', (text, siret) => {
  expect(readSiret(text)).toBe(siret);
});

test.each([
  ['732829320', true],
  ['356000000', true],
  ['732829321', false],
  ['73282932', false],
])('%s has the key of a SIREN: %s', (siren, has) => {
  expect(hasSirenKey(siren)).toBe(has);
});

test.each([
  ['FR11123456782', '123456782', true],
  ['FR 44 732 829 320', '732829320', true],
  ['fr39356000000', '356000000', true],
  ['FR45732829320', '732829320', false],
  ['FR83404833048', '404833048', true],
  ['FRK7399859412', '399859412', true],
  ['FRK6399859412', '399859412', false],
  ['FR76000111111', null, false],
])('the French VAT number %s holds the SIREN %s; its key agrees: %s', (text, siren, keyValid) => {
  expect(readFrenchVat(text)).toEqual({ vatNumber: text.replaceAll(' ', '').toUpperCase(), siren, keyValid });
});

test.each(['DE123456789', 'FR1112345678', 'FRIO123456782', 'FR111234567822', ''])(
  '%j is no French VAT number',
  (text) => {
    expect(readFrenchVat(text)).toBeNull();
  },
);

test.each([
  ['its own SIREN first', { siren: '732 829 320', siret: '35600000000048', vatNumber: 'FR11123456782' }, '732829320'],
  ['else the SIRET', { siren: null, siret: '35600000000048', vatNumber: 'FR11123456782' }, '356000000'],
  ['a SIREN that is none is passed over', { siren: 'n/a', siret: '35600000000048' }, '356000000'],
  ['else the VAT number', { siren: null, siret: null, vatNumber: 'FR11123456782' }, '123456782'],
  ['never that of Monaco', { vatNumber: 'FR76000111111' }, null],
  ['nor that of another country', { vatNumber: 'BE0123456782' }, null],
])('whose SIREN: %s', (_rule, numbers, siren) => {
  expect(sirenOf(numbers)).toBe(siren);
});
