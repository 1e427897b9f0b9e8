/**
 * A PDF value (ISO 32000, 7.3). Names are `/Name`, with `#` escapes decoded;
 * a reference is `{ ref }`, the object's number.
 */
export type PdfValue = string | number | boolean | null | { bytes: Buffer } | { ref: number } | PdfValue[] | PdfDict;
export type PdfDict = { entries: Map<string, PdfValue> };

const maxDepth = 50;
/** The longest value that is read. The dictionaries of interest are small, and the limit keeps the scan linear. */
const maxLength = 1024 * 1024;
const patterns = {
  /** White space and comments. */
  space: /(?:[\0\t\n\f\r ]+|%[^\r\n]*)*/y,
  word: /[^\0\t\n\f\r ()<>[\]{}/%]*/y,
  number: /^[+-]?(\d{1,20}\.?\d{0,20}|\.\d{1,20})$/,
  wordOrReference: /\d{1,10}[\0\t\n\f\r ]{1,5}\d{1,5}[\0\t\n\f\r ]{1,5}R(?![A-Za-z])|[^\0\t\n\f\r ()<>[\]{}/%]*/y,
};
const keywords = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Reads the value at a position of the file as latin1 text: the value (`undefined`: none) and where it ends. */
export function readValue(text: string, at: number): { value: PdfValue | undefined; end: number } {
  const cursor = { text: text.slice(at, at + maxLength), at: 0 };
  const value = valueAt(cursor, 0);
  return { value, end: at + cursor.at };
}

export function isDict(value: PdfValue | undefined): value is PdfDict {
  return typeof value === 'object' && value !== null && 'entries' in value;
}

export function isReference(value: PdfValue | undefined): value is { ref: number } {
  return typeof value === 'object' && value !== null && 'ref' in value;
}

/** Decodes a text string: UTF-16 or UTF-8 with a byte order mark, else Latin-1. */
export function textOf(value: PdfValue | undefined): string | null {
  if (typeof value !== 'object' || value === null || !('bytes' in value)) return null;
  const { bytes } = value;
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? utf8.decode(bytes) : bytes.toString('latin1');
}

const utf8 = new TextDecoder();

type Cursor = { readonly text: string; at: number };

function valueAt(cursor: Cursor, depth: number): PdfValue | undefined {
  consume(cursor, patterns.space);
  if (depth > maxDepth || cursor.at >= cursor.text.length) return undefined;
  if (cursor.text.startsWith('<<', cursor.at)) return dictAt(cursor, depth);
  if (cursor.text[cursor.at] === '[') return arrayAt(cursor, depth);
  if (cursor.text[cursor.at] === '<') return hexStringAt(cursor);
  if (cursor.text[cursor.at] === '(') return literalStringAt(cursor);
  if (cursor.text[cursor.at] === '/') return nameAt(cursor);
  return wordAt(cursor);
}

function dictAt(cursor: Cursor, depth: number): PdfDict | undefined {
  cursor.at += 2;
  const entries = new Map<string, PdfValue>();
  for (;;) {
    consume(cursor, patterns.space);
    if (cursor.text.startsWith('>>', cursor.at)) {
      cursor.at += 2;
      return { entries };
    }
    const key = cursor.text[cursor.at] === '/' ? nameAt(cursor) : undefined;
    const entry = key === undefined ? undefined : valueAt(cursor, depth + 1);
    if (key === undefined || entry === undefined) return undefined;
    entries.set(key, entry);
  }
}

function arrayAt(cursor: Cursor, depth: number): PdfValue[] | undefined {
  cursor.at += 1;
  const items: PdfValue[] = [];
  for (;;) {
    consume(cursor, patterns.space);
    if (cursor.text[cursor.at] === ']') {
      cursor.at += 1;
      return items;
    }
    const item = valueAt(cursor, depth + 1);
    if (item === undefined) return undefined;
    items.push(item);
  }
}

function nameAt(cursor: Cursor): string {
  cursor.at += 1;
  return `/${consume(cursor, patterns.word)}`.replace(/#([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function hexStringAt(cursor: Cursor): { bytes: Buffer } | undefined {
  const end = cursor.text.indexOf('>', cursor.at);
  if (end === -1) {
    cursor.at = cursor.text.length;
    return undefined;
  }
  const digits = cursor.text.slice(cursor.at + 1, end).replace(/[^0-9A-Fa-f]/g, '');
  cursor.at = end + 1;
  return { bytes: Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex') };
}

function literalStringAt(cursor: Cursor): { bytes: Buffer } | undefined {
  const start = cursor.at + 1;
  let open = 1;
  for (cursor.at = start; cursor.at < cursor.text.length; cursor.at += 1) {
    if (cursor.text[cursor.at] === '\\') cursor.at += 1;
    else if (cursor.text[cursor.at] === '(') open += 1;
    else if (cursor.text[cursor.at] === ')') open -= 1;
    if (open === 0) {
      cursor.at += 1;
      return { bytes: Buffer.from(unescaped(cursor.text.slice(start, cursor.at - 1)), 'latin1') };
    }
  }
  return undefined;
}

function wordAt(cursor: Cursor): PdfValue | undefined {
  const word = consume(cursor, patterns.wordOrReference);
  if (patterns.number.test(word)) return +word;
  const [number] = /^\d+(?=[\0\t\n\f\r ])/.exec(word) ?? [];
  return number === undefined ? keywords.get(word) : { ref: +number };
}

/** Matches a sticky pattern at the cursor and advances it; no match: an empty text. */
function consume(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at;
  const [found = ''] = pattern.exec(cursor.text) ?? [];
  cursor.at += found.length;
  return found;
}

function unescaped(text: string): string {
  const named: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
  return text.replace(/\\([0-7]{1,3}|\r\n|[\s\S])/g, (_, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    return named[code] ?? (/^[\r\n]/.test(code) ? '' : code);
  });
}
