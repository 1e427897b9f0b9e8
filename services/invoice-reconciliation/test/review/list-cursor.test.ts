import { randomBytes } from 'node:crypto';
import { createCursors } from '../../review/list-cursor.ts';

test.each([
  ['altered', (cursor: string) => `A${cursor.slice(1)}`],
  ['cut short', (cursor: string) => cursor.slice(0, -1)],
  ['another signature', (cursor: string) => `${cursor.split('.')[0]}.${'A'.repeat(43)}`],
  ['no cursor at all', () => 'x'],
])('a cursor that is %s is refused', (_how, spoil) => {
  const cursors = createCursors([{ id: 'a', secret: randomBytes(32) }], 'invoice-queue');
  const cursor = cursors.encode('client', 'position');
  expect(() => cursors.decode('client', spoil(cursor))).toThrow(
    expect.objectContaining({ code: 'invalid_cursor', kind: 'unprocessable' }),
  );
});

test("a cursor opens for its own client, also under an older key, and for no other client's", () => {
  const [older, newer] = [
    { id: 'a', secret: randomBytes(32) },
    { id: 'b', secret: randomBytes(32) },
  ] as const;
  const cursor = createCursors([older], 'invoice-queue').encode('client', 'position');
  expect(createCursors([newer, older], 'invoice-queue').decode('client', cursor)).toBe('position');
  expect(() => createCursors([newer, older], 'invoice-queue').decode('neighbour', cursor)).toThrow(
    expect.objectContaining({ code: 'invalid_cursor' }),
  );
});
