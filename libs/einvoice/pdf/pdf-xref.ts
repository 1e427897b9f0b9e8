import { limits, type PdfReader } from './pdf-reader.ts';
import { isDict, isReference, type PdfDict, type PdfValue } from './pdf-syntax.ts';

/** Where an object is: in the file, or within an object stream. Null: it is free, which means deleted. */
export type Entry = { at: number } | { stream: number; index: number } | null;
type Xref = { entries: Map<number, Entry>; root: number };
type Section = { entries: Map<number, Entry>; dict: PdfDict };

/** Each revision has a section, two if it is written for old readers as well. */
const maxSections = 2_000;
const maxFieldBytes = 8;

/**
 * Reads the cross-reference of the current revision (ISO 32000, 7.5.4 and 7.5.8): the newest section of an object counts.
 * @returns null if it is damaged
 */
export function readXref(reader: PdfReader): Xref | null {
  const { text } = reader;
  const from = text.lastIndexOf('startxref');
  const [, start] = /^startxref[\0\t\n\f\r ]{1,9}(\d{1,10})/.exec(text.slice(from, from + 40)) ?? [];
  if (from === -1 || start === undefined) return null;
  const header = text.indexOf('%PDF-');
  // Where other bytes stand before the header, some writers count from the header.
  return readSections(reader, Number(start), 0) ?? (header > 0 ? readSections(reader, Number(start), header) : null);
}

function readSections(reader: PdfReader, start: number, offset: number): Xref | null {
  const entries = new Map<number, Entry>();
  const visited = new Set<number>();
  let root: number | null = null;
  for (let at: PdfValue | undefined = start; at !== undefined; ) {
    if (typeof at !== 'number' || visited.has(at) || visited.size >= maxSections) return null;
    visited.add(at);
    const section = readSection(reader, at + offset, offset);
    if (section === null) return null;
    // The second one names objects that the first one calls free, for readers that know no object streams.
    const second = section.dict.entries.get('/XRefStm');
    const hidden = typeof second === 'number' ? readSection(reader, second + offset, offset) : null;
    for (const [number, entry] of [...(hidden?.entries ?? []), ...section.entries]) {
      if (!entries.has(number)) entries.set(number, entry);
    }
    const catalog = section.dict.entries.get('/Root');
    root ??= isReference(catalog) ? catalog.ref : null;
    at = section.dict.entries.get('/Prev');
  }
  return root === null ? null : { entries, root };
}

function readSection(reader: PdfReader, at: number, offset: number): Section | null {
  const [word] = matchAt(/[\0\t\n\f\r ]{0,20}xref/y, reader.text, at) ?? [];
  return word === undefined ? readStreamSection(reader, at, offset) : readTable(reader, at + word.length, offset);
}

function readTable(reader: PdfReader, start: number, offset: number): Section | null {
  const { text } = reader;
  const entries = new Map<number, Entry>();
  let at = start;
  for (;;) {
    const [head, first, count] = matchAt(/[\0\t\n\f\r ]{0,20}(\d{1,10})[\0\t\n\f\r ]{1,5}(\d{1,10})/y, text, at) ?? [];
    if (head === undefined) break;
    reader.count('rows');
    at += head.length;
    for (let index = 0; index < Number(count); index += 1) {
      const [row, position, kind] = matchAt(/[\0\t\n\f\r ]{0,5}(\d{10}) \d{5} ([nf])/y, text, at) ?? [];
      if (row === undefined) return null;
      reader.count('rows');
      entries.set(Number(first) + index, kind === 'n' ? { at: Number(position) + offset } : null);
      at += row.length;
    }
  }
  const [trailer] = matchAt(/[\0\t\n\f\r ]{0,20}trailer/y, text, at) ?? [];
  const dict = trailer === undefined ? undefined : reader.read({ text, at: at + trailer.length }).value;
  return isDict(dict) ? { entries, dict } : null;
}

/** Where the value of the object begins that is at this position of the file, and its number; null if there is none. */
export function objectAt({ text }: PdfReader, at: number): { number: number; start: number } | null {
  const header = /[\0\t\n\f\r ]{0,20}(\d{1,10})[\0\t\n\f\r ]{1,5}\d{1,5}[\0\t\n\f\r ]{1,5}obj/y;
  const [head, number] = matchAt(header, text, at) ?? [];
  return head === undefined ? null : { number: Number(number), start: at + head.length };
}

function readStreamSection(reader: PdfReader, at: number, offset: number): Section | null {
  const header = objectAt(reader, at);
  const stream = header && reader.readObject(header.start).stream;
  if (stream?.dict.entries.get('/Type') !== '/XRef') return null;
  const { dict } = stream;
  const widths = numbersOf(dict.entries.get('/W'));
  const ranges = numbersOf(dict.entries.get('/Index') ?? [0, dict.entries.get('/Size') ?? 0]);
  const rows = reader.decode(stream, limits.inflatedBytes);
  if (!rows || widths.length !== 3 || widths.some((width) => width > maxFieldBytes)) return null;
  const entries = new Map<number, Entry>();
  let from = 0;
  for (let range = 0; range + 1 < ranges.length; range += 2) {
    const [first = 0, count = 0] = ranges.slice(range, range + 2);
    for (let index = 0; index < count; index += 1) {
      const row = widths.map((width) => {
        from += width;
        return width === 0 ? null : rows.subarray(from - width, from).reduce((sum, byte) => sum * 256 + byte, 0);
      });
      if (from > rows.length) return null;
      reader.count('rows');
      entries.set(first + index, entryOf(row, offset));
    }
  }
  return { entries, dict };
}

/** A row is (type, position or stream, generation or index); an absent type is 1. */
function entryOf([type, place, index]: (number | null)[], offset: number): Entry {
  if (type === 2) return { stream: place ?? 0, index: index ?? 0 };
  return type === 0 ? null : { at: (place ?? 0) + offset };
}

function numbersOf(value: PdfValue | undefined): number[] {
  return Array.isArray(value)
    ? (value.filter((one) => typeof one === 'number' && one >= 0 && one % 1 === 0) as number[])
    : [];
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
