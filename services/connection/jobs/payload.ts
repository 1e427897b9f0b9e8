import { createHash } from 'node:crypto';

/** SHA-256 in hexadecimal. */
export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const beginnings: [RegExp, string][] = [
  [/^%PDF-/, 'application/pdf'],
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^(?:\xef\xbb\xbf)?\s*</, 'application/xml'],
  [/^(?:\xef\xbb\xbf)?\s*[{[]/, 'application/json'],
];

/** The MIME type that the first bytes tell (domain.md 2.6); what the provider said it is where they tell nothing. */
export function payloadType(head: Buffer, declared = 'application/octet-stream'): string {
  const text = head.subarray(0, 64).toString('latin1');
  const told = beginnings.find(([beginning]) => beginning.test(text))?.[1];
  return told ?? declared.split(';')[0]?.trim().toLowerCase().slice(0, 100) ?? declared;
}
