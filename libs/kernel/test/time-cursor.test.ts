import { AppError } from '../errors.ts';
import { decodeTimeCursor, encodeTimeCursor } from '../time-cursor.ts';

const position = { at: new Date('2026-11-21T08:00:00.123Z'), id: '6740f0c8b3c4d5e6f7000010' };
const encoded = (text: string) => Buffer.from(text).toString('base64url');

test('a cursor leads back to the position it was made of; without one a list begins', () => {
  expect(decodeTimeCursor(encodeTimeCursor(position))).toEqual(position);
  expect(decodeTimeCursor(undefined)).toBeNull();
});

test('ids of another form are for the list to check', () => {
  const other = { ...position, id: 'F 1.2\n€' };
  expect(decodeTimeCursor(encodeTimeCursor(other), (id) => id.startsWith('F'))).toEqual(other);
  expect(() => decodeTimeCursor(encodeTimeCursor(other), (id) => id.startsWith('G'))).toThrow(AppError);
});

test.each([
  ['', ''],
  ['an id', position.id],
  ['text that is no base64url', '%%%'],
  ['a time alone', encoded('1763712000000')],
  ['a time that is none', encoded(`soon.${position.id}`)],
  ['an id that is none', encoded('1763712000000.{"$gt":""}')],
  ['a line more', encoded(`1763712000000.${position.id}\n`)],
])('%s is refused', (_what, cursor) => {
  expect(() => decodeTimeCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
});
