import fc from 'fast-check';
import { hasSirenKey, readSiren, readSiret } from '../../libs/kernel/siren.ts';
import { hasSiretKey } from '../../libs/kernel/siret.ts';
import { checkProperty } from './check-property.ts';

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((all) => all.join(''));
/** Numbers whose key is right. La Poste's establishments have another rule. */
const siren = digits(8).map((start) => [...'0123456789'].map((key) => start + key).find(hasSirenKey) ?? '');
const siret = fc
  .tuple(siren, digits(4))
  .filter(([first]) => first !== '356000000')
  .map(([first, nic]) => [...'0123456789'].map((key) => first + nic + key).find(hasSiretKey) ?? '');
const separator = fc.constantFrom('', ' ', '.', '-', '\u00a0', '\u202f');

test('of ten last digits one makes the key of a SIREN right', () => {
  checkProperty(
    fc.property(digits(8), (start) => {
      expect([...'0123456789'].filter((key) => hasSirenKey(start + key))).toHaveLength(1);
    }),
  );
});

test('one wrong digit is noticed, in a SIREN and in a SIRET', () => {
  const wrong = (number: string, at: number, by: number) =>
    number.slice(0, at) + String((Number(number[at]) + by) % 10) + number.slice(at + 1);
  const by = fc.integer({ min: 1, max: 9 });
  checkProperty(
    fc.property(siren, fc.nat({ max: 8 }), by, (number, at, shift) => !hasSirenKey(wrong(number, at, shift))),
  );
  checkProperty(
    fc.property(siret, fc.nat({ max: 13 }), by, (number, at, shift) => {
      const changed = wrong(number, at, shift);
      fc.pre(!changed.startsWith('356000000'));
      expect(hasSiretKey(changed)).toBe(false);
    }),
  );
});

test('a number is read with any separators between its digits, and a label before it', () => {
  const spelled = (number: string, marks: string[]) =>
    [...number].map((digit, at) => digit + (marks[at] ?? '')).join('');
  const marks = fc.array(separator, { maxLength: 14 });
  checkProperty(
    fc.property(siren, marks, (number, between) => readSiren(`SIREN ${spelled(number, between)}`) === number),
  );
  checkProperty(
    fc.property(siret, marks, (number, between) => readSiret(`SIRET : ${spelled(number, between)}`) === number),
  );
});

test('any text is read to a number of nine or fourteen digits, or to none', () => {
  checkProperty(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(readSiren(text) ?? '000000000').toMatch(/^\d{9}$/);
      expect(readSiret(text) ?? '00000000000000').toMatch(/^\d{14}$/);
    }),
  );
});
