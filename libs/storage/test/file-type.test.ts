import { detectFileType, type FileType, withExtension } from '../file-type.ts';

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

test.each([
  ['a PDF', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
  ['a PDF of no more than its mark', Buffer.from('%PDF-'), 'application/pdf'],
  ['a PNG', Buffer.concat([png, Buffer.from('IHDR')]), 'image/png'],
  ['a JPEG (JFIF)', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), 'image/jpeg'],
  ['a JPEG (Exif)', Buffer.from([0xff, 0xd8, 0xff, 0xe1]), 'image/jpeg'],
  ['a text', Buffer.from('hello, order.pdf'), null],
  ['a PDF after a blank line', Buffer.from('\r\n %PDF-1.7'), 'application/pdf'],
  ['a PDF after a byte order mark', Buffer.from('\ufeff%PDF-1.7'), 'application/pdf'],
  ['a PDF after more than its readers skip', Buffer.from(`${' '.repeat(1024)}%PDF-1.7`), null],
  ['a text that names the mark later', Buffer.from('<!-- %PDF-1.7'), null],
  ['a mark cut short', Buffer.from('%PDF'), null],
  ['a PNG damaged by a text transfer', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0a, 0x1a, 0x0a, 0]), null],
  ['a PNG cut short', png.subarray(0, 7), null],
  ['a GIF', Buffer.from('GIF89a'), null],
  ['a ZIP', Buffer.from('PK\u0003\u0004'), null],
  ['a program', Buffer.from('MZ\u0090'), null],
  ['an HTML page', Buffer.from('<!doctype html>'), null],
  ['nothing', Buffer.alloc(0), null],
])('%s', (_what, head, type) => expect(detectFileType(head)).toBe(type));

test.each<[string, FileType, string]>([
  ['devis.pdf', 'application/pdf', 'devis.pdf'],
  ['DEVIS.PDF', 'application/pdf', 'DEVIS.PDF'],
  ['devis.html', 'application/pdf', 'devis.html.pdf'],
  ['file', 'application/pdf', 'file.pdf'],
  ['photo.jpeg', 'image/jpeg', 'photo.jpeg'],
  ['photo.png', 'image/jpeg', 'photo.png.jpg'],
  ['PO-2026.0117', 'image/png', 'PO-2026.0117.png'],
])('%s with the content of %s is called %s', (name, type, called) => expect(withExtension(name, type)).toBe(called));
