import { inflateSync } from 'node:zlib';
import { refused } from './faults.ts';
import { isDict, isReference, type PdfDict, type PdfValue, readValue } from './pdf-syntax.ts';

const limits = {
  fileBytes: 50 * 1024 * 1024,
  inflatedBytes: 60 * 1024 * 1024,
  syntaxBytes: 8 * 1024 * 1024,
  objects: 200_000,
};

/** The attachments of a PDF: its file specifications, and what is needed to get at their streams. */
export type PdfObjects = {
  fileSpecs: PdfDict[];
  /** What a reference leads to; anything else is itself. */
  resolve: (value: PdfValue | undefined) => PdfValue | undefined;
  /** The decoded bytes of the stream that a reference leads to, at most `maxBytes`; no stream: null. */
  streamAt: (value: PdfValue | undefined, maxBytes: number) => Buffer | null;
};

type PdfStream = { dict: PdfDict; bytes: Buffer };
type Scan = {
  bytes: Buffer;
  /** Where each object's value stands; of several with one number the last one counts, as after an update. */
  places: Map<number, { text: string; at: number }>;
  streams: Map<number, PdfStream>;
  fileSpecs: Map<number, PdfDict[]>;
  left: { inflatedBytes: number; syntaxBytes: number };
};

/**
 * Finds the objects by going through the file once, without its cross-reference table: that is what readers do with a
 * damaged table, and it needs no other way for cross-reference streams, updates and object streams.
 * @throws AppError invalid `document_refused` where the file, or what comes out of it, is larger than any invoice
 */
export function readObjects(bytes: Buffer): PdfObjects {
  if (bytes.length > limits.fileBytes)
    throw refused(`the PDF has ${bytes.length} bytes; at most ${limits.fileBytes} are read`);
  const { inflatedBytes, syntaxBytes } = limits;
  const left = { inflatedBytes, syntaxBytes };
  const scan: Scan = { bytes, places: new Map(), streams: new Map(), fileSpecs: new Map(), left };
  scanFile(scan, bytes.toString('latin1'));
  const resolve: PdfObjects['resolve'] = (value) => {
    if (!isReference(value)) return value;
    const place = scan.places.get(value.ref);
    return place && readCounted(scan, place).value;
  };
  return {
    fileSpecs: [...scan.fileSpecs.values()].flat(),
    resolve,
    streamAt: (value, maxBytes) => {
      const stream = isReference(value) ? scan.streams.get(value.ref) : undefined;
      return stream ? decode(scan, stream, { filter: resolve(stream.dict.entries.get('/Filter')), maxBytes }) : null;
    },
  };
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
  const stream = { dict: value, bytes: scan.bytes.subarray(start, stop === -1 ? undefined : stop) };
  scan.streams.set(number, stream);
  if (value.entries.get('/Type') === '/ObjStm') readObjectStream(scan, stream);
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

/** Objects in a stream: pairs of number and place first, then the values (ISO 32000, 7.5.7). */
function readObjectStream(scan: Scan, stream: PdfStream): void {
  const start = stream.dict.entries.get('/First');
  const content = decode(scan, stream, { filter: stream.dict.entries.get('/Filter'), maxBytes: limits.inflatedBytes });
  if (content === null || typeof start !== 'number' || start < 0) return;
  const text = content.toString('latin1');
  const pairs = [...text.slice(0, start).matchAll(/(\d{1,10})[\0\t\n\f\r ]{1,5}(\d{1,10})/g)].slice(0, limits.objects);
  for (const [, number, offset] of pairs) keep(scan, Number(number), { text, at: start + Number(offset) });
}

function keep(scan: Scan, number: number, place: { text: string; at: number }) {
  const read = readCounted(scan, place);
  scan.places.set(number, place);
  scan.streams.delete(number);
  scan.fileSpecs.set(number, fileSpecsIn(read.value));
  if (scan.places.size > limits.objects) throw refused(`the PDF has more than ${limits.objects} objects`);
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

/** The bytes of a stream; null where they are in no form that is read: another filter, broken or encrypted. */
function decode(
  scan: Scan,
  stream: PdfStream,
  { filter, maxBytes }: { filter: PdfValue | undefined; maxBytes: number },
) {
  const filters = filter === undefined || filter === null ? [] : [filter].flat();
  if (filters.length === 0) return stream.bytes;
  if (filters.length > 1 || filters[0] !== '/FlateDecode') return null;
  const maxOutputLength = Math.min(maxBytes, scan.left.inflatedBytes);
  try {
    const inflated = inflateSync(stream.bytes, { maxOutputLength: Math.max(1, maxOutputLength) });
    scan.left.inflatedBytes -= inflated.length;
    return inflated;
  } catch (error) {
    if (isTooLarge(error)) throw refused(`a stream of the PDF holds more than ${maxOutputLength} bytes`);
    return null;
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}
