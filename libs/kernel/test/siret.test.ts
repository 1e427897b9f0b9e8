import { AppError } from '../errors.ts';
import { parseSiret } from '../siret.ts';

test.each([
  ['as it is', '73282932000074'],
  ['with spaces', ' 732 829 320 00074 '],
  ['with no-break spaces, wide and narrow', '732\u00a0829\u202f320\u00a000074'],
  ['with thin spaces', '732\u2009829\u2009320\u200900074'],
  ['with dots', '732.829.320.00074'],
  ['with dashes, tabs and line ends', '732-829-320\t00074\n'],
])('a SIRET is read %s', (_how, text) => {
  expect(parseSiret(text)).toEqual({ siret: '73282932000074', siren: '732829320' });
});

test.each([
  ['the head office of La Poste, which has a Luhn key', '35600000000048'],
  ['an establishment of La Poste without a Luhn key, but a digit sum of 35', '35600000009075'],
  ['another, with a digit sum of 15', '35600000000010'],
])('%s is a SIRET', (_which, text) => {
  expect(parseSiret(text)).toEqual({ siret: text, siren: '356000000' });
});

test.each([
  ['the SIREN has a wrong key, although the whole has a right one', '11122233344455', 'no SIREN'],
  ['the SIREN has a wrong key', '73282932100074', 'no SIREN'],
  ['the whole has a wrong key', '73282932000075', 'no SIRET'],
  ['two digits changed places', '73282932000047', 'no SIRET'],
  ['La Poste with neither a key nor a sum', '35600000000049', 'no SIRET'],
  ['a digit sum of 40 helps La Poste alone', '73282932000004', 'no SIRET'],
  ['13 digits', '7328293200007', '14 digits'],
  ['15 digits', '732829320000740', '14 digits'],
  ['a letter', '7328293200007O', '14 digits'],
  ['digits of another script', '٧٣٢٨٢٩٣٢٠٠٠٠٧٤', '14 digits'],
  ['a VAT number', 'FR40303265045', '14 digits'],
  ['nothing', '', '14 digits'],
])('%s: refused as siret_invalid', (_fault, text, reason) => {
  let refusal: unknown;
  try {
    parseSiret(text);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(AppError);
  expect(refusal).toMatchObject({
    kind: 'invalid',
    code: 'siret_invalid',
    message: expect.stringContaining(reason),
  });
});
