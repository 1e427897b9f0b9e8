/** The types of files that the platform accepts. */
export type FileType = 'application/pdf' | 'image/png' | 'image/jpeg';

const signatures: [FileType, Buffer][] = [
  ['application/pdf', Buffer.from('%PDF-')],
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
];
const signatureBytes = 8;
/** Readers look for the signature of a PDF in so many bytes. */
const searchedBytes = 1024;
const extensions: Record<FileType, [string, ...string[]]> = {
  'application/pdf': ['.pdf'],
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg', '.jpe', '.jfif'],
};

/** Whether so many first bytes are enough to determine the type. */
export function isEnough(head: Buffer): boolean {
  return afterBlanks(head).length >= signatureBytes || head.length >= searchedBytes;
}

/** The type by the file's first bytes, whatever its name and declared type; null for other types. */
export function detectFileType(head: Buffer): FileType | null {
  const isAt = (start: Buffer, signature: Buffer) => signature.equals(start.subarray(0, signature.length));
  const found = signatures.find(([type, signature]) =>
    isAt(type === 'application/pdf' ? afterBlanks(head) : head, signature),
  );
  return found?.[0] ?? null;
}

/** Some writers put blank lines or a byte order mark before a PDF. */
function afterBlanks(head: Buffer): Buffer {
  const [blanks = ''] = /^(?:\xef\xbb\xbf)?\s*/.exec(head.toString('latin1', 0, searchedBytes)) ?? [];
  return head.subarray(blanks.length, searchedBytes);
}

/** The name with an extension of its type, so that nobody who saves and opens `quote.html` runs what a PDF has inside. */
export function withExtension(name: string, type: FileType): string {
  const isKnown = extensions[type].some((extension) => name.toLowerCase().endsWith(extension));
  return isKnown ? name : `${name}${extensions[type][0]}`;
}
