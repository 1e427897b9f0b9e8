import { payloadType } from '../../jobs/payload-type.ts';

test.each([
  ['%PDF-1.7', 'text/plain', 'application/pdf'],
  ['\uFEFF<?xml version="1.0"?>', 'text/plain', 'application/xml'],
  ['  {"id": 1}', undefined, 'application/json'],
  ['\x89PNG\r\n', 'image/gif', 'image/png'],
  ['anything', 'Text/CSV; charset=utf-8', 'text/csv'],
  ['', undefined, 'application/octet-stream'],
])('%j sent as %p is %s', (head, declared, type) => {
  const encoding = head.startsWith('\x89') ? 'latin1' : 'utf8';
  expect(payloadType(Buffer.from(head, encoding), declared)).toBe(type);
});
