import { decodePosition, encodePosition } from '@app/kernel';
import fc from 'fast-check';
import { invoiceList } from '../../services/invoice-reconciliation/invoices/invoice-list.ts';
import { checkProperty } from './check-property.ts';

const id = fc.stringMatching(/^[0-9a-f]{24}$/);
const date = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true });
/** A column, with a value that it may have. */
const sorted = fc.oneof(
  fc.tuple(fc.constant('createdAt'), date),
  fc.tuple(fc.constant('amount'), fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }))),
  fc.tuple(fc.constant('supplierName'), fc.option(fc.string({ unit: 'binary', maxLength: 60 }))),
);

test('a cursor leads back to where the page ended, in its own order alone', () => {
  checkProperty(
    fc.property(id, sorted, fc.boolean(), (last, [by, value], descending) => {
      const [sort, position] = [
        { by, descending },
        { value: Object.is(value, -0) ? 0 : value, id: last },
      ];
      const cursor = encodePosition(sort, position);
      expect(decodePosition(invoiceList, sort, cursor)).toEqual(position);
      expect(decodePosition(invoiceList, { by, descending: !descending }, cursor)).toBeNull();
      expect(decodePosition(invoiceList, { by: 'number', descending }, cursor)).toBeNull();
    }),
  );
});

test('whatever a cursor was made of, it is a value to compare with, or none', () => {
  checkProperty(
    fc.property(fc.jsonValue(), sorted, fc.boolean(), (forged, [by], descending) => {
      const text = Buffer.from(JSON.stringify([by, descending, forged, '0'.repeat(24)])).toString('base64url');
      const { value = null } = decodePosition(invoiceList, { by, descending }, text) ?? {};
      expect(value === null || value instanceof Date || ['string', 'number'].includes(typeof value)).toBe(true);
    }),
  );
});
