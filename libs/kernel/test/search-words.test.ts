import { hasAll, searchWords, withPlainDashes, wordsSearched } from '../search-words.ts';

/** As the index answers: the longest word begins a word, and so do the others. */
const finds = (text: string, ...texts: string[]) => {
  const words = wordsSearched(text);
  return words.length > 0 && hasAll(searchWords(...texts), words);
};

test.each([
  ['T-000042'],
  ['t-000042'],
  ['T\u2011000042'],
  ['T\u2013000042'],
  ['T\u2212000042\u00a0'],
  ['T000042'],
  ['T-42'],
  ['42'],
  ['000042'],
  ['T-0000'],
  ['chambre'],
  ['CHAMB'],
  ['étage 2e'],
  ['etage'],
  ['rez-de-ch'],
  ['chaussee chambre'],
  ['42 froide'],
])('%s finds T-000042, Chambre froide, 2e étage, rez-de-chaussée', (text) => {
  expect(finds(text, 'T-000042', 'Chambre froide, 2e étage, rez-de-chaussée')).toBe(true);
});

test.each([['T-43'], ['ambre'], ['chambre chaude'], [''], ['   '], ['.*'], ['^'], ['$where'], ['\\'], ['\u0000']])(
  '%j does not find it',
  (text) => {
    expect(finds(text, 'T-000042', 'Chambre froide, 2e étage, rez-de-chaussée')).toBe(false);
  },
);

test.each([
  ['732829320'],
  ['732 829 320'],
  ['732 829 320 00074'],
  ['7328'],
  ['fa-2026-0815'],
  ['2026-0815'],
  ['0815'],
  ['815'],
])('%s finds the invoice FA-2026-0815 of the SIREN 732829320', (text) => {
  expect(finds(text, 'FA-2026-0815', '732829320', 'Froid Service')).toBe(true);
});

test.each([['ada.martin@acme.test'], ['ada.m'], ['acme.t'], ['a-1.b-2.c-3.d-4@acme.test']])(
  '%s finds the addresses that begin so, however many parts they have',
  (text) => {
    expect(finds(text, 'ada.martin@acme.test', 'a-1.b-2.c-3.d-4@acme.test')).toBe(true);
  },
);

test('a text has a bounded number of words, whatever its length', () => {
  expect(searchWords(Array.from({ length: 5_000 }, (_, index) => `w${index}-x-y-z`).join(' ')).length).toBeLessThan(61);
  expect(wordsSearched('a b c d e f g h i j k').length).toBeLessThan(7);
  expect(searchWords('x'.repeat(10_000))).toEqual(['X'.repeat(40)]);
});

test.each(['T\u2010000042', 'T\u2011000042', 'T\u2013000042', 'T\u2212000042', '\u00a0T-000042 ', 'T-000042'])(
  '%j is T-000042',
  (pasted) => expect(withPlainDashes(pasted)).toBe('T-000042'),
);
