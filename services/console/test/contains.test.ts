import { contains } from '../src/components/contains.ts';

test.each([
  ['North wing', 'WING'],
  ['Bâtiment été', 'batiment ete'],
  ['Batiment', 'bâti'],
  ['Jean-Luc', 'jean\u2011luc'],
  ['Jean\u2013Luc', 'jean-l'],
  ['Lot \u2212 3', 'lot - 3'],
  ['Dupont et fils', 'dupont\u00a0et'],
  ['Dupont\u202fet  fils', ' dupont et fils '],
  ['Straße', 'STRASSE'],
  ['anything', ''],
])('“%s” is found by “%s”', (text, typed) => {
  expect(contains(text, typed)).toBe(true);
});

test.each([
  ['North wing', 'south'],
  ['Jean-Luc', 'jeanluc'],
])('“%s” is not found by “%s”', (text, typed) => {
  expect(contains(text, typed)).toBe(false);
});
