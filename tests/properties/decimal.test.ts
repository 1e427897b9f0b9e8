import fc from 'fast-check';
import { divide, parseDecimal, percentToFraction, subtract, toAmount, toNumber } from '../../libs/einvoice/decimal.ts';
import { checkProperty } from './check-property.ts';

const cents = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 });
const text = (amount: number) => (amount < 0 ? '-' : '') + (Math.abs(amount) / 100).toFixed(2);
const read = (written: string) => parseDecimal(written, 'the total');

test('an amount of cents is read exactly, with any zeros around it', () => {
  checkProperty(
    fc.property(cents, fc.nat({ max: 5 }), fc.nat({ max: 5 }), (amount, before, after) => {
      const sign = amount < 0 ? '-' : '';
      const padded = sign + '0'.repeat(before) + text(Math.abs(amount)) + '0'.repeat(after);
      expect(toAmount(read(padded), 'the total')).toBe(Number(text(amount)) + 0);
    }),
  );
});

test('what is taken away and added again is the same amount', () => {
  checkProperty(
    fc.property(cents, cents, (one, other) => {
      const difference = subtract(read(text(one)), read(text(other)));
      expect(Math.round(toNumber(difference) * 100)).toBe(one - other);
    }),
  );
});

test('a quotient is the nearest number of eight places', () => {
  checkProperty(
    fc.property(cents, fc.integer({ min: 1, max: 1_000_000 }), (amount, by) => {
      const { units, scale } = divide(read(text(amount)), read(String(by)));
      const [product, exact] = [units * BigInt(by) * 100n, BigInt(amount) * 10n ** BigInt(scale)];
      const difference = product > exact ? product - exact : exact - product;
      expect(2n * difference <= BigInt(by) * 100n).toBe(true);
    }),
  );
});

test('a percentage is a hundredth', () => {
  checkProperty(
    fc.property(fc.integer({ min: 0, max: 10_000 }), (hundredths) => {
      expect(toNumber(percentToFraction(read(text(hundredths))))).toBeCloseTo(hundredths / 10_000, 10);
    }),
  );
});

test('any other text is refused with its place', () => {
  checkProperty(
    fc.property(fc.string({ maxLength: 50 }), (given) => {
      fc.pre(!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(given));
      expect(() => read(given)).toThrow('the total is no decimal number');
    }),
  );
});
