import { createResponseReader } from '../harness/response-reader.ts';

const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const chunked = 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
const empty = 'HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n';

/** The statuses that are known after each piece. */
function statusesOf(pieces: string[]): number[][] {
  const seen: number[] = [];
  const read = createResponseReader(({ status }) => seen.push(status));
  return pieces.map((piece) => {
    read(Buffer.from(piece));
    return [...seen];
  });
}

test.each([
  ['with a length', plain, 200],
  ['in chunks', chunked, 201],
  ['without body', empty, 204],
])('a response %s is read whole, wherever it is cut', (_name, text, status) => {
  expect(statusesOf([text])).toEqual([[status]]);
  for (let cut = 1; cut < text.length; cut++)
    expect(statusesOf([text.slice(0, cut), text.slice(cut)])).toEqual([[], [status]]);
  expect(statusesOf([...text])).toEqual([...Array.from({ length: text.length - 1 }, () => []), [status]]);
});

test('responses of one connection are separated', () => {
  expect(statusesOf([plain, chunked, empty, plain]).at(-1)).toEqual([200, 201, 204, 200]);
});

test('an end of chunks within the content is not taken for the end', () => {
  const inner = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n0\r\n\r\nab\r\n';
  expect(statusesOf([inner, '0\r\n\r\n'])).toEqual([[], [200]]);
});

test('a response of unknown length is refused', () => {
  expect(() => statusesOf(['HTTP/1.1 200 OK\r\n\r\n'])).toThrow('without length');
});
