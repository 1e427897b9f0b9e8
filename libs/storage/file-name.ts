const maxLength = 255;

/**
 * The name of an uploaded file, made safe to show and to save: without folders, control characters and marks that reverse the
 * writing direction (`gpj.exe` shown as `exe.jpg`), cut to 255 characters with its extension kept.
 */
export function cleanFileName(sent: string): string {
  const base = sent.split(/[/\\]/).at(-1) ?? '';
  const name = base.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  if (name === '' || name === '.' || name === '..') return 'file';
  if (name.length <= maxLength) return name;
  const extension = /\.[^.]{1,16}$/.exec(name)?.[0] ?? '';
  return cut(name, maxLength - extension.length) + extension;
}

/** The value of `Content-Disposition: attachment` (RFC 6266): an ASCII fallback, and the name in UTF-8 if it differs. Always quoted. */
export function attachment(name: string): string {
  const clean = cleanFileName(name).toWellFormed();
  const ascii = clean
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, '_');
  // Some browsers decode a `%` in the plain form; a quote or backslash would end it.
  const plain = ascii.replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(clean).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return plain === clean
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** The first `length` UTF-16 units, or one less rather than half a character. */
function cut(text: string, length: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return text.slice(0, end);
}
