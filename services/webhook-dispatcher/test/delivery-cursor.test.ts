import { decodeCursor, encodeCursor } from '../deliveries/delivery-cursor.ts';

const position = { createdAt: new Date('2026-11-21T08:00:00.123Z'), id: '6740f0c8b3c4d5e6f7000010' };
const encoded = (text: string) => Buffer.from(text).toString('base64url');

test('a cursor leads back to the delivery it was made of', () => {
  expect(decodeCursor(encodeCursor(position))).toEqual(position);
});

test.each([
  ['', ''],
  ['an id', position.id],
  ['text that is no base64url', '%%%'],
  ['a time alone', encoded('1763712000000')],
  ['a time that is none', encoded(`soon.${position.id}`)],
  ['an id that is none', encoded('1763712000000.{"$gt":""}')],
  ['a line more', encoded(`1763712000000.${position.id}\n`)],
])('%s is no cursor', (_what, cursor) => expect(decodeCursor(cursor)).toBeNull());
