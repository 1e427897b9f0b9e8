import { decodePosition, encodePosition } from '@app/kernel';
import fc from 'fast-check';
import { invoiceList } from '../../services/invoice-reconciliation/invoices/invoice-list.ts';
import { createCursors } from '../../services/invoice-reconciliation/review/list-cursor.ts';
import { checkProperty } from './check-property.ts';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => ({ id: 'k', secret: Buffer.from(bytes) }));
const id = fc.stringMatching(/^[0-9a-f]{24}$/);
const date = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true });
/** A column, with a value that it may have. */
const sorted = fc.oneof(
  fc.tuple(fc.constant('createdAt'), date),
  fc.tuple(fc.constant('amount'), fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }))),
  fc.tuple(fc.constant('supplierName'), fc.option(fc.string({ unit: 'binary', maxLength: 60 }))),
);

test('a cursor leads back to where the page ended, also once its key signs no more', () => {
  checkProperty(
    fc.property(key, key, id, sorted, fc.boolean(), (former, present, client, [by, value], descending) => {
      const [sort, last] = [
        { by, descending },
        { value: Object.is(value, -0) ? 0 : value, id: client },
      ];
      const cursor = createCursors([former], 'invoice-queue').encode(client, encodePosition(sort, last));
      const text = createCursors([present, former], 'invoice-queue').decode(client, cursor);
      expect(decodePosition(invoiceList, sort, text)).toEqual(last);
      expect(decodePosition(invoiceList, { by, descending: !descending }, text)).toBeNull();
      expect(decodePosition(invoiceList, { by: 'number', descending }, text)).toBeNull();
    }),
  );
});

test('a cursor is refused if a character is changed, and for another client or list', () => {
  const character = fc.constantFrom(...'ABCxyz019-_.~ ');
  checkProperty(
    fc.property(
      key,
      id,
      id,
      fc.base64String({ minLength: 4 }),
      fc.nat(),
      character,
      (signing, client, other, at, place, put) => {
        const cursors = createCursors([signing], 'invoice-queue');
        const cursor = cursors.encode(client, Buffer.from(at).toString('base64url'));
        const index = place % cursor.length;
        const changed = cursor.slice(0, index) + put + cursor.slice(index + 1);
        fc.pre(changed !== cursor && other !== client);
        expect(() => cursors.decode(client, changed)).toThrow('this cursor is none that was given');
        expect(() => cursors.decode(other, cursor)).toThrow('this cursor is none that was given');
        expect(() => createCursors([signing], 'invoice-review').decode(client, cursor)).toThrow('this cursor');
      },
    ),
  );
});
