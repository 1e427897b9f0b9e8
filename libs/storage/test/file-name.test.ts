import { attachment, cleanFileName } from '../file-name.ts';

test.each([
  ['devis.pdf', 'devis.pdf'],
  ['Devis été n°1 «final».pdf', 'Devis été n°1 «final».pdf'],
  ['見積書.pdf', '見積書.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\moi\\facture.pdf', 'facture.pdf'],
  ['a/b\\c/d.png', 'd.png'],
  ['line\r\nbreak\u0000.pdf', 'linebreak.pdf'],
  ['photo\u202egpj.exe', 'photogpj.exe'],
  ['  spaced.pdf  ', 'spaced.pdf'],
  ['', 'file'],
  ['..', 'file'],
  ['folder/', 'file'],
  [`${'a'.repeat(300)}.pdf`, `${'a'.repeat(251)}.pdf`],
  ['a'.repeat(255), 'a'.repeat(255)],
  [`${'a'.repeat(250)}😀😀.pdf`, `${'a'.repeat(250)}.pdf`],
])('the name %j becomes %j', (sent, name) => {
  expect(cleanFileName(sent)).toBe(name);
  expect(name.length).toBeLessThanOrEqual(255);
});

test.each([
  ['devis.pdf', 'attachment; filename="devis.pdf"'],
  ['été.pdf', `attachment; filename="ete.pdf"; filename*=UTF-8''%C3%A9t%C3%A9.pdf`],
  ['見.pdf', `attachment; filename="_.pdf"; filename*=UTF-8''%E8%A6%8B.pdf`],
  ['a"b.pdf', `attachment; filename="a_b.pdf"; filename*=UTF-8''a%22b.pdf`],
  ['50%.pdf', `attachment; filename="50_.pdf"; filename*=UTF-8''50%25.pdf`],
  [`l'été (1)*.pdf`, `attachment; filename="l'ete (1)*.pdf"; filename*=UTF-8''l%27%C3%A9t%C3%A9%20%281%29%2A.pdf`],
  ['x\r\nSet-Cookie: a=b.pdf', 'attachment; filename="xSet-Cookie: a=b.pdf"'],
  ['\ud800.pdf', `attachment; filename="_.pdf"; filename*=UTF-8''%EF%BF%BD.pdf`],
])('the name %j is sent as %s', (name, header) => expect(attachment(name)).toBe(header));
