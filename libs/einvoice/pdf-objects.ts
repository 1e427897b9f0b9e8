import { inflateSync } from 'node:zlib';
import { refused } from './faults.ts';
import { isDict, isReference, type PdfDict, type PdfValue, readValue } from './pdf-syntax.ts';

const limits = {
  fileBytes: 50 * 1024 * 1024,
  inflatedBytes: 60 * 1024 * 1024,
  syntaxBytes: 8 * 1024 * 1024,
  objects: 200_000,
};
/** No byte of a deflated stream becomes more than this. */
const deflateRatio = 1032;

/** The attachments of a PDF: the file specifications that were wanted, and what is needed to get at their streams. */
export type PdfObjects = {
  fileSpecs: PdfDict[];
  /** What a reference leads to; anything else is itself. */
  resolve: (value: PdfValue | undefined) => PdfValue | undefined;
  /** The decoded bytes of the stream that a reference leads to, at most `maxBytes`; no stream: null. Decoded once. */
  streamAt: (value: PdfValue | undefined, maxBytes: number) => Buffer | null;
};

type PdfStream = { filter: PdfValue | undefined; bytes: Buffer };
type Scan = {
  bytes: Buffer;
  isWanted: (fileSpec: PdfDict) => boolean;
  /** Where each object's value stands; of several with one number the last one counts, as after an update. */
  places: Map<number, { text: string; at: number }>;
  streams: Map<number, PdfStream>;
  fileSpecs: Map<number, PdfDict[]>;
  /** What may still be inflated, read and kept: whatever fails is charged like what succeeds. */
  left: { inflatedBytes: number; syntaxBytes: number; objects: number };
};

/**
 * Finds the objects by going through the file once, without its cross-reference table: that is what readers do with a
 * damaged table, and it needs no other way for cross-reference streams, updates and object streams.
 * @throws AppError invalid `document_refused` where the file, or what comes out of it, is larger than any invoice
 */
export function readObjects(bytes: Buffer, isWanted: (fileSpec: PdfDict) => boolean): PdfObjects {
  if (bytes.length > limits.fileBytes)
    throw refused(`the PDF has ${bytes.length} bytes; at most ${limits.fileBytes} are read`);
  const { inflatedBytes, syntaxBytes, objects } = limits;
  const left = { inflatedBytes, syntaxBytes, objects };
  const scan: Scan = { bytes, isWanted, places: new Map(), streams: new Map(), fileSpecs: new Map(), left };
  scanFile(scan, bytes.toString('latin1'));
  const resolve: PdfObjects['resolve'] = (value) => {
    if (!isReference(value)) return value;
    const place = scan.places.get(value.ref);
    return place && readCounted(scan, place).value;
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

/** Where to go on after an object; null where its stream has no end: nothing follows. */
function readObject(scan: Scan, number: number, place: { text: string; at: number }): number | null {
  const { value, end } = keep(scan, number, place);
  const [opening] = /^[\0\t\n\f\r ]{0,20}stream(\r\n|\n|\r)?/.exec(place.text.slice(end, end + 40)) ?? [];
  if (!isDict(value) || opening === undefined) return end;
  const start = end + opening.length;
  const stop = endOfStream(place.text, start, value.entries.get('/Length'));
  const bytes = scan.bytes.subarray(start, stop === -1 ? undefined : stop);
  scan.streams.set(number, { filter: value.entries.get('/Filter'), bytes });
  if (value.entries.get('/Type') === '/ObjStm') readObjectStream(scan, value, bytes);
  return stop === -1 ? null : stop;
}

/** The length that the stream names, where the stream really ends there; else the next end; none: -1. */
function endOfStream(text: string, start: number, length: PdfValue | undefined): number {
  const named = typeof length === 'number' && length >= 0 ? start + length : -1;
  const isThere = named !== -1 && /^[\0\t\n\f\r ]{0,4}endstream/.test(text.slice(named, named + 16));
  if (isThere) return named;
  const end = text.indexOf('endstream', start);
  // The line end before the word is no part of the stream.
  const lineEnd = /(\r\n|\n|\r)?$/.exec(text.slice(Math.max(start, end - 2), end))?.[0] ?? '';
  return end === -1 ? end : end - lineEnd.length;
}

/** Objects in a stream: /N pairs of number and place, up to /First, then the values (ISO 32000, 7.5.7). */
function readObjectStream(scan: Scan, { entries }: PdfDict, bytes: Buffer): void {
  const [first, count] = [entries.get('/First'), entries.get('/N')];
  const content = decode(scan, bytes, { filter: entries.get('/Filter'), maxBytes: limits.inflatedBytes });
  if (content === null || typeof first !== 'number' || first < 0 || first > content.length) return;
  const text = content.toString('latin1');
  const pair = /[\0\t\n\f\r ]{0,20}(\d{1,10})[\0\t\n\f\r ]{1,20}(\d{1,10})/y;
  // One by one: a header may name millions of places, and what they lead to is refused long before the last one.
  for (let left = typeof count === 'number' ? count : limits.objects; left > 0; left -= 1) {
    const [, number, offset] = pair.exec(text) ?? [];
    if (number === undefined || pair.lastIndex > first) return;
    keep(scan, Number(number), { text, at: first + Number(offset) });
  }
}

function keep(scan: Scan, number: number, place: { text: string; at: number }) {
  scan.left.objects -= 1;
  if (scan.left.objects < 0) throw refused(`the PDF has more than ${limits.objects} objects`);
  const read = readCounted(scan, place);
  scan.places.set(number, place);
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

/** A file specification may be an object of its own, or stand in a list of names. */
function fileSpecsIn(value: PdfValue | undefined): PdfDict[] {
  if (Array.isArray(value)) return value.flatMap(fileSpecsIn);
  if (!isDict(value)) return [];
  return value.entries.has('/EF') ? [value] : [...value.entries.values()].flatMap(fileSpecsIn);
}

type Coded = { filter: PdfValue | undefined; maxBytes: number };

/** The bytes of a stream; null where they are in no form that is read: another filter, broken or encrypted. */
function decode(scan: Scan, bytes: Buffer, { filter, maxBytes }: Coded): Buffer | null {
  const filters = filter === undefined || filter === null ? [] : [filter].flat();
  if (filters.length === 0) return bytes;
  if (filters.length > 1 || filters[0] !== '/FlateDecode' || !isDeflated(bytes)) return null;
  const most = Math.min(maxBytes, scan.left.inflatedBytes);
  // Charged before, as much as may come of it: one that fails at its end has cost as much as one that does not.
  const charged = Math.min(most, bytes.length * deflateRatio);
  scan.left.inflatedBytes -= charged;
  try {
    const inflated = inflateSync(bytes, { maxOutputLength: Math.max(1, charged) });
    scan.left.inflatedBytes += charged - inflated.length;
    return inflated;
  } catch (error) {
    if (isTooLarge(error)) throw refused(`a stream of the PDF holds more than ${most} bytes`);
    return null;
  }
}

/** By its first two bytes (RFC 1950): what was encrypted after it was deflated costs nothing. */
function isDeflated([method = 0, flags = 0]: Buffer): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}
