const signatures: [RegExp, string][] = [
  [/^%PDF-/, 'application/pdf'],
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^(?:\xef\xbb\xbf)?\s*</, 'application/xml'],
  [/^(?:\xef\xbb\xbf)?\s*[{[]/, 'application/json'],
];

/** The MIME type by the first bytes; if they match no signature, the type that the provider declared. */
export function payloadType(head: Buffer, declared = 'application/octet-stream'): string {
  const text = head.subarray(0, 64).toString('latin1');
  const detected = signatures.find(([signature]) => signature.test(text))?.[1];
  return detected ?? declared.split(';')[0]?.trim().toLowerCase().slice(0, 100) ?? declared;
}
