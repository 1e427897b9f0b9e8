import { PdfReader, type PdfStream, type Position, type Resolve } from './pdf-reader.ts';
import { isDict, isReference, type PdfDict, type PdfValue } from './pdf-syntax.ts';
import { type Entry, objectAt, readXref } from './pdf-xref.ts';

/** The wanted file specifications of a PDF, and access to what they refer to. */
export type PdfObjects = {
  fileSpecs: PdfDict[];
  /** The cross-reference is of no use, so that removed attachments may be among them. */
  isDamaged: boolean;
  resolve: Resolve;
  /**
   * The bytes of the stream that a reference points to, decoded once; null if it is no stream or
   * cannot be decoded.
   * @throws AppError invalid `document_refused` if it inflates to more than `maxBytes`
   */
  streamAt: (value: PdfValue | undefined, maxBytes: number) => Buffer | null;
};

type IsWanted = (fileSpec: PdfDict) => boolean;
type Found = {
  fileSpecs: PdfDict[];
  valueAt: (number: number) => PdfValue | undefined;
  streamIn: (number: number) => PdfStream | null;
};

/** The cross-reference leads to what is not there. */
class DamagedPdf extends Error {}

/**
 * Finds the file specifications that the current catalog reaches: revisions before it, and what it has removed, do not count. Of a
 * damaged file, all that a scan finds, as readers of PDF do.
 * @throws AppError invalid `document_refused` if the file, or what it contains, exceeds the limits
 */
export function readObjects(bytes: Buffer, isWanted: IsWanted): PdfObjects {
  const reader = new PdfReader(bytes);
  const followed = followCatalog(reader, isWanted);
  const { fileSpecs, valueAt, streamIn } = followed ?? scanFile(reader, isWanted);
  const resolve: Resolve = (value) => (isReference(value) ? valueAt(value.ref) : value);
  const decoded = new Map<number, Buffer | null>();
  const streamAt: PdfObjects['streamAt'] = (value, maxBytes) => {
    const stream = isReference(value) ? streamIn(value.ref) : null;
    if (!isReference(value) || stream === null) return null;
    const before = decoded.get(value.ref);
    if (before !== undefined) return before;
    const content = reader.decode(stream, maxBytes, resolve);
    decoded.set(value.ref, content);
    return content;
  };
  return { fileSpecs, isDamaged: followed === null, resolve, streamAt };
}

/** @returns null if the file is damaged */
function followCatalog(reader: PdfReader, isWanted: IsWanted): Found | null {
  const xref = readXref(reader);
  if (xref === null) return null;
  const streams = new Map<number, [number, Position][]>();
  const load = (number: number, entry: Entry = null): { value: PdfValue | undefined; stream: PdfStream | null } => {
    if (entry === null) return { value: null, stream: null };
    if ('at' in entry) {
      const header = objectAt(reader, entry.at);
      if (header?.number !== number) throw new DamagedPdf();
      return reader.readObject(header.start);
    }
    const container = xref.entries.get(entry.stream);
    if (!container || !('at' in container)) throw new DamagedPdf();
    const { stream } = streams.has(entry.stream) ? { stream: null } : load(entry.stream, container);
    const members = streams.get(entry.stream) ?? (stream ? [...reader.inObjectStream(stream)] : []);
    streams.set(entry.stream, members);
    const [member, position] = members[entry.index] ?? [];
    if (member !== number || position === undefined) throw new DamagedPdf();
    return { value: reader.read(position).value, stream: null };
  };
  const find = (number: number) => load(number, xref.entries.get(number));
  try {
    const fileSpecs = reachedFrom(xref.root, find, isWanted);
    return fileSpecs && { fileSpecs, valueAt: (one) => find(one).value, streamIn: (one) => find(one).stream };
  } catch (error) {
    if (error instanceof DamagedPdf) return null;
    throw error;
  }
}

/** Null if the root is no catalog. */
function reachedFrom(
  root: number,
  find: (number: number) => { value: PdfValue | undefined },
  isWanted: IsWanted,
): PdfDict[] | null {
  const fileSpecs: PdfDict[] = [];
  const numbers = new Set([root]);
  const catalog = find(root).value;
  if (!isDict(catalog) || catalog.entries.get('/Type') !== '/Catalog') return null;
  const visit = (value: PdfValue | undefined): void => {
    if (isReference(value)) numbers.add(value.ref);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isDict(value)) {
      if (value.entries.has('/EF') && isWanted(value)) fileSpecs.push(value);
      value.entries.forEach(visit);
    }
  };
  // A set gives what is added while it is walked.
  for (const number of numbers) visit(find(number).value);
  return fileSpecs;
}

/** All objects of the file, without its cross-reference. If a number occurs several times, the last one counts: it is an update. */
function scanFile(reader: PdfReader, isWanted: IsWanted): Found {
  const positions = new Map<number, Position>();
  const streams = new Map<number, PdfStream>();
  const fileSpecs = new Map<number, PdfDict[]>();
  const store = (number: number, position: Position, value: PdfValue | undefined) => {
    positions.set(number, position);
    streams.delete(number);
    const wanted = fileSpecsIn(value).filter(isWanted);
    if (wanted.length > 0) fileSpecs.set(number, wanted);
    else fileSpecs.delete(number);
  };
  /** Returns where the object ends; null if its stream has no end, so that nothing can follow. */
  const scanObject = (number: number, at: number): number | null => {
    reader.count('objects');
    const { value, stream, end } = reader.readObject(at);
    store(number, { text: reader.text, at }, value);
    if (stream === null) return end;
    streams.set(number, stream);
    if (stream.dict.entries.get('/Type') !== '/ObjStm') return end;
    for (const [member, position] of reader.inObjectStream(stream)) {
      store(member, position, reader.read(position).value);
    }
    return end;
  };

  const { text } = reader;
  for (let at = text.indexOf('obj'); at !== -1; ) {
    const [, number] =
      /(?:^|\D)(\d{1,10})[\0\t\n\f\r ]{1,5}\d{1,5}[\0\t\n\f\r ]{1,5}$/.exec(text.slice(Math.max(0, at - 26), at)) ?? [];
    const end = number === undefined ? at + 3 : scanObject(Number(number), at + 3);
    at = end === null ? -1 : text.indexOf('obj', end);
  }
  return {
    fileSpecs: [...fileSpecs.values()].flat(),
    valueAt(number) {
      const position = positions.get(number);
      return position && reader.read(position).value;
    },
    streamIn: (number) => streams.get(number) ?? null,
  };
}

/** A file specification may be a separate object or part of a list of names. */
function fileSpecsIn(value: PdfValue | undefined): PdfDict[] {
  if (Array.isArray(value)) return value.flatMap(fileSpecsIn);
  if (!isDict(value)) return [];
  return value.entries.has('/EF') ? [value] : [...value.entries.values()].flatMap(fileSpecsIn);
}
