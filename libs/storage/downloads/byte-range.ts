import type { ByteRange } from '../storage.ts';

/**
 * Parses the `Range` header of a request for a file of `size` bytes: the range, `unsatisfiable` (416) if it is outside the file,
 * null for the whole file. Other units, several ranges and malformed ones are ignored, as RFC 9110 (14.2) allows. Not
 * `range-parser`: it answers `bytes=5-4` with 416, and reads `1.5` as 1.
 */
export function parseByteRange(header: string | undefined, size: number): Required<ByteRange> | 'unsatisfiable' | null {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (!match) return null;
  const [, from = '', to = ''] = match;
  if (from === '') return to === '' ? null : lastBytes(Number(to), size);
  const [start, end] = [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)];
  if (end < start) return null;
  return start < size ? { start, end: Math.min(end, size - 1) } : 'unsatisfiable';
}

function lastBytes(count: number, size: number): Required<ByteRange> | 'unsatisfiable' {
  return count > 0 && size > 0 ? { start: Math.max(size - count, 0), end: size - 1 } : 'unsatisfiable';
}
