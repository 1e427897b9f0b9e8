import { inflateSync } from 'node:zlib';
import { refused } from '../errors.ts';
import { unpredicted } from './pdf-predictor.ts';
import { isDict, type PdfDict, type PdfValue, readValue } from './pdf-syntax.ts';

export const limits = {
  fileBytes: 50 * 1024 * 1024,
  inflatedBytes: 60 * 1024 * 1024,
  syntaxBytes: 8 * 1024 * 1024,
  /** Of all streams, each time that its end is looked for: streams may share theirs, or have none. */
  streamBytes: 4 * 50 * 1024 * 1024,
  objects: 200_000,
  /** Steps over rows of the cross-reference, in all revisions together: one or two each. */
  rows: 1_000_000,
};
/** The highest compression ratio of deflate. */
const deflateRatio = 1032;

/** Where a value begins: in the file, or in the text of an object stream. */
export type Position = { text: string; at: number };
/** The value that a reference points to; any other value is returned as it is. */
export type Resolve = (value: PdfValue | undefined) => PdfValue | undefined;
export type PdfStream = { dict: PdfDict; bytes: Buffer };
/** `end`: where the search for what follows goes on; null if the stream of this object has no end. */
type PdfObject = { value: PdfValue | undefined; stream: PdfStream | null; end: number | null };

/** Reads values and streams of a file within its budgets. Failures are charged like successes. */
export class PdfReader {
  readonly bytes: Buffer;
  readonly text: string;
  readonly #left = { ...limits };

  /** @throws AppError invalid `document_refused` if the file is too large */
  constructor(bytes: Buffer) {
    if (bytes.length > limits.fileBytes)
      throw refused(`the PDF has ${bytes.length} bytes; at most ${limits.fileBytes} are read`);
    this.bytes = bytes;
    this.text = bytes.toString('latin1');
  }

  /** @throws AppError invalid `document_refused` if there are too many */
  count(what: 'objects' | 'rows'): void {
    this.#left[what] -= 1;
    if (this.#left[what] < 0) throw refused(`the PDF has more than ${limits[what]} objects`);
  }

  /** @throws AppError invalid `document_refused` if too much was read */
  read({ text, at }: Position): { value: PdfValue | undefined; end: number } {
    const read = readValue(text, at);
    this.#left.syntaxBytes -= read.end - at;
    if (this.#left.syntaxBytes < 0)
      throw refused(`the PDF has more than ${limits.syntaxBytes} bytes outside its streams`);
    return read;
  }

  /** The object of the file whose value begins here. */
  readObject(at: number): PdfObject {
    const { value, end } = this.read({ text: this.text, at });
    const [opening] = /^[\0\t\n\f\r ]{0,20}stream(\r\n|\n|\r)?/.exec(this.text.slice(end, end + 40)) ?? [];
    if (!isDict(value) || opening === undefined) return { value, stream: null, end };
    const start = end + opening.length;
    const stop = endOfStream(this.text, start, value.entries.get('/Length'));
    this.#left.streamBytes -= (stop === -1 ? this.text.length : stop) - start;
    if (this.#left.streamBytes < 0) throw refused(`the streams of the PDF have more than ${limits.streamBytes} bytes`);
    const bytes = this.bytes.subarray(start, stop === -1 ? undefined : stop);
    return { value, stream: { dict: value, bytes }, end: stop === -1 ? null : stop };
  }

  /**
   * The decoded bytes of a stream; null if it has another filter, is broken or encrypted. `resolve` follows references in its dictionary.
   * @throws AppError invalid `document_refused` if it inflates to more than `maxBytes`
   */
  decode({ dict, bytes }: PdfStream, maxBytes: number, resolve: Resolve = (value) => value): Buffer | null {
    // Both are lists if a stream has several filters, and may be with one.
    const [filters, parms] = ['/Filter', '/DecodeParms'].map((key) => [resolve(dict.entries.get(key)) ?? []].flat());
    if (filters?.length === 0) return bytes;
    if (filters?.length !== 1 || filters[0] !== '/FlateDecode' || !isDeflated(bytes)) return null;
    const budget = Math.min(maxBytes, this.#left.inflatedBytes);
    // Charged in advance with the most it may yield: one that fails at its end has cost as much as one that succeeds.
    const charged = Math.min(budget, bytes.length * deflateRatio);
    this.#left.inflatedBytes -= charged;
    try {
      const inflated = inflateSync(bytes, { maxOutputLength: Math.max(1, charged) });
      this.#left.inflatedBytes += charged - inflated.length;
      return unpredicted(inflated, resolve(parms?.[0]));
    } catch (error) {
      if (isTooLarge(error)) throw refused(`a stream of the PDF holds more than ${budget} bytes`);
      return null;
    }
  }

  /** The objects in an object stream, by number: /N pairs of number and position, up to /First (ISO 32000, 7.5.7). */
  *inObjectStream(stream: PdfStream): Generator<[number, Position]> {
    const { entries } = stream.dict;
    const [first, count] = [entries.get('/First'), entries.get('/N')];
    const content = this.decode(stream, limits.inflatedBytes);
    if (content === null || typeof first !== 'number' || first < 0 || first > content.length) return;
    const text = content.toString('latin1');
    const pair = /[\0\t\n\f\r ]{0,20}(\d{1,10})[\0\t\n\f\r ]{1,20}(\d{1,10})/y;
    // One by one, because a hostile header may name millions of positions; the object limit stops it early.
    for (let left = typeof count === 'number' ? count : limits.objects; left > 0; left -= 1) {
      const [, number, offset] = pair.exec(text) ?? [];
      if (number === undefined || pair.lastIndex > first) return;
      this.count('objects');
      yield [Number(number), { text, at: first + Number(offset) }];
    }
  }
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

/** Checks the two header bytes (RFC 1950), so that an encrypted stream is not inflated in vain. */
function isDeflated([method = 0, flags = 0]: Buffer): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}
