/** What the platform takes: spec section 8 (purchase file), design section 9 (uploads in general). */
export type FileType = 'application/pdf' | 'image/png' | 'image/jpeg';

const signatures: [FileType, Buffer][] = [
  ['application/pdf', Buffer.from('%PDF-')],
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
];

/** The bytes that must be there before a type can be told. */
export const signatureBytes = 8;

/** The type by the file's first bytes, never by its name or by what the sender declares; null for any other. */
export function detectFileType(head: Uint8Array): FileType | null {
  const found = signatures.find(([, signature]) => signature.equals(head.subarray(0, signature.length)));
  return found?.[0] ?? null;
}
