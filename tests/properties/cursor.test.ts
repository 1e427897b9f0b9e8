import fc from 'fast-check';
import { createCursors } from '../../services/invoice-reconciliation/review/queue-cursor.ts';
import { checkProperty } from './check-property.ts';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => ({ id: 'k', secret: Buffer.from(bytes) }));
const id = fc.stringMatching(/^[0-9a-f]{24}$/);
const position = fc.record({
  created_at: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
  _id: id,
});

test('a cursor leads back to where the page ended, also once its key signs no more', () => {
  checkProperty(
    fc.property(key, key, id, position, (former, present, client, last) => {
      const cursor = createCursors([former], 'invoice-queue').encode(client, last);
      const found = createCursors([present, former], 'invoice-queue').decode(client, cursor);
      expect(found).toEqual({ at: last.created_at, id: last._id });
    }),
  );
});

test('a cursor is refused if a character is changed, and for another client or list', () => {
  const character = fc.constantFrom(...'ABCxyz019-_.~ ');
  checkProperty(
    fc.property(key, id, id, position, fc.nat(), character, (signing, client, other, at, place, put) => {
      const cursors = createCursors([signing], 'invoice-queue');
      const cursor = cursors.encode(client, at);
      const index = place % cursor.length;
      const changed = cursor.slice(0, index) + put + cursor.slice(index + 1);
      fc.pre(changed !== cursor && other !== client);
      expect(() => cursors.decode(client, changed)).toThrow('this cursor is none that was given');
      expect(() => cursors.decode(other, cursor)).toThrow('this cursor is none that was given');
      expect(() => createCursors([signing], 'invoice-review').decode(client, cursor)).toThrow('this cursor');
    }),
  );
});
