import { refused } from '../errors.ts';

/** The largest XML that is read; an invoice may contain attachments in base64. */
export const maxXmlBytes = 20 * 1024 * 1024;

/** By the name in the XML declaration. US-ASCII is a subset of UTF-8. */
const encodings: Record<string, string> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'windows-1252': 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
  // Its declaration is legible byte by byte, so it is not in the UTF-16 that it names.
  'utf-16': 'utf-8',
  'utf-16le': 'utf-8',
  'utf-16be': 'utf-8',
};

/**
 * Decodes an XML document in UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 or Windows-1252, with or without a byte order mark.
 * @throws AppError invalid `document_refused` if it is too large, in another encoding, or not valid in its encoding
 */
export function decodeXml(bytes: Buffer): string {
  if (bytes.length > maxXmlBytes) throw refused(`the XML has ${bytes.length} bytes; at most ${maxXmlBytes} are read`);
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw refused(`the document says it is written in ${encoding}, and has bytes that are not`);
  }
}

function encodingOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const start = bytes.toString('latin1', 0, 200);
  const [, declared] = /^(?:\u00ef\u00bb\u00bf)?<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(start) ?? [];
  if (declared === undefined || start.startsWith('\u00ef\u00bb\u00bf')) return 'utf-8';
  const encoding = encodings[declared.toLowerCase()];
  if (encoding === undefined)
    throw refused(`the XML is written in ${declared}; UTF-8, UTF-16, ISO-8859-1 and -15 are read`);
  return encoding;
}
