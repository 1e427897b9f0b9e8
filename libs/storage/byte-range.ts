import type { ByteRange } from './storage.ts';

/**
 * What a `Range` header asks of a file of `size` bytes: the range with both its ends, `unsatisfiable` (416) for one that
 * lies wholly outside, null for the whole file: no header, another unit, several ranges or a malformed one, all of
 * which a server may ignore (RFC 9110 section 14.2).
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
