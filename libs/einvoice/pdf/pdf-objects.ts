import { inflateSync } from 'node:zlib';
import { refused } from '../errors.ts';
import { isDict, isReference, type PdfDict, type PdfValue, readValue } from './pdf-syntax.ts';

const limits = {
  fileBytes: 50 * 1024 * 1024,
  inflatedBytes: 60 * 1024 * 1024,
  syntaxBytes: 8 * 1024 * 1024,
  objects: 200_000,
};
/** The highest compression ratio of deflate. */
const deflateRatio = 1032;

/** The wanted file specifications of a PDF, and access to what they refer to. */
export type PdfObjects = {
  fileSpecs: PdfDict[];
  /** The value that a reference points to; any other value is returned as it is. */
  resolve: (value: PdfValue | undefined) => PdfValue | undefined;
  /**
   * The bytes of the stream that a reference points to, decoded once; null if it is no stream or
   * cannot be decoded.
   * @throws AppError invalid `document_refused` if it inflates to more than `maxBytes`
   */
  streamAt: (value: PdfValue | undefined, maxBytes: number) => Buffer | null;
};

type PdfStream = { filter: PdfValue | undefined; bytes: Buffer };
type Scan = {
  bytes: Buffer;
  isWanted: (fileSpec: PdfDict) => boolean;
  /** Positions of the objects' values, by number. If a number occurs several times, the last one counts: it is an update. */
  positions: Map<number, { text: string; at: number }>;
  streams: Map<number, PdfStream>;
  fileSpecs: Map<number, PdfDict[]>;
  /** Remaining budgets. Failures are charged like successes. */
  left: { inflatedBytes: number; syntaxBytes: number; objects: number };
};

/**
 * Finds the objects by scanning the file once, without its cross-reference table, as PDF readers do if the table is damaged.
 * Updates, cross-reference streams and object streams then need no code of their own.
 * @throws AppError invalid `document_refused` if the file, or what it contains, exceeds the limits
 */
export function readObjects(bytes: Buffer, isWanted: (fileSpec: PdfDict) => boolean): PdfObjects {
  if (bytes.length > limits.fileBytes)
    throw refused(`the PDF has ${bytes.length} bytes; at most ${limits.fileBytes} are read`);
  const { inflatedBytes, syntaxBytes, objects } = limits;
  const left = { inflatedBytes, syntaxBytes, objects };
  const scan: Scan = { bytes, isWanted, positions: new Map(), streams: new Map(), fileSpecs: new Map(), left };
  scanFile(scan, bytes.toString('latin1'));
  const resolve: PdfObjects['resolve'] = (value) => {
    if (!isReference(value)) return value;
    const position = scan.positions.get(value.ref);
    return position && readCounted(scan, position).value;
  };
  const decoded = new Map<PdfStream, Buffer | null>();
  const streamAt: PdfObjects['streamAt'] = (value, maxBytes) => {
    const stream = isReference(value) ? scan.streams.get(value.ref) : undefined;
    if (stream === undefined) return null;
    const before = decoded.get(stream);
    if (before !== undefined) return before;
    const content = decode(scan, stream.bytes, { filter: resolve(stream.filter), maxBytes });
    decoded.set(stream, content);
    return content;
  };
  return { fileSpecs: [...scan.fileSpecs.values()].flat(), resolve, streamAt };
}

function scanFile(scan: Scan, text: string): void {
  let at = text.indexOf('obj');
  while (at !== -1) {
    const [, number] =
      /(?:^|\D)(\d{1,10})[\0\t\n\f\r ]{1,5}\d{1,5}[\0\t\n\f\r ]{1,5}$/.exec(text.slice(Math.max(0, at - 26), at)) ?? [];
    const end = number === undefined ? at + 3 : readObject(scan, Number(number), { text, at: at + 3 });
    if (end === null) return;
    at = text.indexOf('obj', end);
  }
}

/** Returns where the object ends; null if its stream has no end, so that nothing can follow. */
function readObject(scan: Scan, number: number, position: { text: string; at: number }): number | null {
  const { value, end } = storeObject(scan, number, position);
  const [opening] = /^[\0\t\n\f\r ]{0,20}stream(\r\n|\n|\r)?/.exec(position.text.slice(end, end + 40)) ?? [];
  if (!isDict(value) || opening === undefined) return end;
  const start = end + opening.length;
  const stop = endOfStream(position.text, start, value.entries.get('/Length'));
  const bytes = scan.bytes.subarray(start, stop === -1 ? undefined : stop);
  scan.streams.set(number, { filter: value.entries.get('/Filter'), bytes });
  if (value.entries.get('/Type') === '/ObjStm') readObjectStream(scan, value, bytes);
  return stop === -1 ? null : stop;
}

/** The end of a stream: by its length if `endstream` follows there, else the next `endstream`; none: -1. */
function endOfStream(text: string, start: number, length: PdfValue | undefined): number {
  const named = typeof length === 'number' && length >= 0 ? start + length : -1;
  const isThere = named !== -1 && /^[\0\t\n\f\r ]{0,4}endstream/.test(text.slice(named, named + 16));
  if (isThere) return named;
  const end = text.indexOf('endstream', start);
  // The line end before `endstream` is not part of the stream.
  const lineEnd = /(\r\n|\n|\r)?$/.exec(text.slice(Math.max(start, end - 2), end))?.[0] ?? '';
  return end === -1 ? end : end - lineEnd.length;
}

/** Reads the objects in a stream: /N pairs of number and position, up to /First, then the values (ISO 32000, 7.5.7). */
function readObjectStream(scan: Scan, { entries }: PdfDict, bytes: Buffer): void {
  const [first, count] = [entries.get('/First'), entries.get('/N')];
  const content = decode(scan, bytes, { filter: entries.get('/Filter'), maxBytes: limits.inflatedBytes });
  if (content === null || typeof first !== 'number' || first < 0 || first > content.length) return;
  const text = content.toString('latin1');
  const pair = /[\0\t\n\f\r ]{0,20}(\d{1,10})[\0\t\n\f\r ]{1,20}(\d{1,10})/y;
  // Read one by one, because a hostile header may name millions of positions; the object limit stops it early.
  for (let left = typeof count === 'number' ? count : limits.objects; left > 0; left -= 1) {
    const [, number, offset] = pair.exec(text) ?? [];
    if (number === undefined || pair.lastIndex > first) return;
    storeObject(scan, Number(number), { text, at: first + Number(offset) });
  }
}

function storeObject(scan: Scan, number: number, position: { text: string; at: number }) {
  scan.left.objects -= 1;
  if (scan.left.objects < 0) throw refused(`the PDF has more than ${limits.objects} objects`);
  const read = readCounted(scan, position);
  scan.positions.set(number, position);
  scan.streams.delete(number);
  const fileSpecs = fileSpecsIn(read.value).filter(scan.isWanted);
  if (fileSpecs.length > 0) scan.fileSpecs.set(number, fileSpecs);
  else scan.fileSpecs.delete(number);
  return read;
}

function readCounted(scan: Scan, { text, at }: { text: string; at: number }) {
  const read = readValue(text, at);
  scan.left.syntaxBytes -= read.end - at;
  if (scan.left.syntaxBytes < 0) throw refused(`the PDF has more than ${limits.syntaxBytes} bytes outside its streams`);
  return read;
}

/** A file specification may be a separate object or part of a list of names. */
function fileSpecsIn(value: PdfValue | undefined): PdfDict[] {
  if (Array.isArray(value)) return value.flatMap(fileSpecsIn);
  if (!isDict(value)) return [];
  return value.entries.has('/EF') ? [value] : [...value.entries.values()].flatMap(fileSpecsIn);
}

type Coded = { filter: PdfValue | undefined; maxBytes: number };

/** The decoded bytes of a stream; null if it has another filter, is broken or encrypted. */
function decode(scan: Scan, bytes: Buffer, { filter, maxBytes }: Coded): Buffer | null {
  const filters = filter === undefined || filter === null ? [] : [filter].flat();
  if (filters.length === 0) return bytes;
  if (filters.length > 1 || filters[0] !== '/FlateDecode' || !isDeflated(bytes)) return null;
  const budget = Math.min(maxBytes, scan.left.inflatedBytes);
  // Charged in advance with the most it may yield: one that fails at its end has cost as much as one that succeeds.
  const charged = Math.min(budget, bytes.length * deflateRatio);
  scan.left.inflatedBytes -= charged;
  try {
    const inflated = inflateSync(bytes, { maxOutputLength: Math.max(1, charged) });
    scan.left.inflatedBytes += charged - inflated.length;
    return inflated;
  } catch (error) {
    if (isTooLarge(error)) throw refused(`a stream of the PDF holds more than ${budget} bytes`);
    return null;
  }
}

/** Checks the two header bytes (RFC 1950), so that an encrypted stream is not inflated in vain. */
function isDeflated([method = 0, flags = 0]: Buffer): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}
