/** The types of files that the platform accepts. */
export type FileType = 'application/pdf' | 'image/png' | 'image/jpeg';

const signatures: [FileType, Buffer][] = [
  ['application/pdf', Buffer.from('%PDF-')],
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
];

/** How many bytes are needed to determine the type. */
export const signatureBytes = 8;

/** The type by the file's first bytes, whatever its name and declared type; null for other types. */
export function detectFileType(head: Uint8Array): FileType | null {
  const found = signatures.find(([, signature]) => signature.equals(head.subarray(0, signature.length)));
  return found?.[0] ?? null;
}
