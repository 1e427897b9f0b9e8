import { parseByteRange } from '../../downloads/byte-range.ts';

const size = 100;

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-', { start: 0, end: 99 }],
  ['bytes=10-19', { start: 10, end: 19 }],
  ['bytes=99-99', { start: 99, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=-1', { start: 99, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['Bytes= 5-6 ', { start: 5, end: 6 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  ['bytes=99999999999999999999-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=0-1,5-6', null],
  ['bytes=-', null],
  ['bytes=5-4', null],
  ['bytes=a-b', null],
  ['bytes=1.5-2', null],
  ['items=0-1', null],
  ['', null],
  [undefined, null],
])('%s of 100 bytes', (header, range) => expect(parseByteRange(header, size)).toEqual(range));

test.each(['bytes=0-', 'bytes=-5'])('%s of an empty file', (header) =>
  expect(parseByteRange(header, 0)).toBe('unsatisfiable'),
);
