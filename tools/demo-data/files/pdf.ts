import { deflateSync } from 'node:zlib';

/** A file inside a PDF. */
type Attachment = { name: string; bytes: Buffer };

/** Characters of WinAnsi, the encoding of the font, that Latin 1 has not. */
const winAnsi: Record<string, number> = { '€': 0x80, '…': 0x85, '‘': 0x91, '’': 0x92, '–': 0x96, œ: 0x9c };

/** A PDF of one page with lines of text. */
export function textPdf(lines: readonly string[]): Buffer {
  return writePdf(lines, null);
}

/** A Factur-X invoice: what people read, with the same invoice as XML for machines. */
export function facturXPdf(lines: readonly string[], xml: string): Buffer {
  return writePdf(lines, { name: 'factur-x.xml', bytes: Buffer.from(xml) });
}

function writePdf(lines: readonly string[], attachment: Attachment | null): Buffer {
  const content = deflateSync(contentOf(lines));
  const catalog = `<< /Type /Catalog /Pages 2 0 R${attachment ? linkTo(attachment.name) : ''} >>`;
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>';
  return assemble([
    bytes(catalog),
    bytes('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    bytes(page),
    stream('/Filter /FlateDecode', content),
    bytes(font),
    ...(attachment ? attached(attachment) : []),
  ]);
}

function linkTo(name: string): string {
  return ` /AF [6 0 R] /Names << /EmbeddedFiles << /Names [(${name}) 6 0 R] >> >> /Metadata 8 0 R`;
}

/** The file specification, the file, and the metadata that name the profile, as objects 6 to 8. */
function attached({ name, bytes: file }: Attachment): Buffer[] {
  const metadata = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:fx="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"><fx:DocumentType>INVOICE</fx:DocumentType><fx:DocumentFileName>${name}</fx:DocumentFileName><fx:Version>1.0</fx:Version><fx:ConformanceLevel>EN 16931</fx:ConformanceLevel></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
  return [
    bytes(`<< /Type /Filespec /F (${name}) /UF (${name}) /AFRelationship /Alternative /EF << /F 7 0 R /UF 7 0 R >> >>`),
    stream('/Type /EmbeddedFile /Subtype /text#2Fxml /Filter /FlateDecode', deflateSync(file)),
    stream('/Type /Metadata /Subtype /XML', bytes(metadata)),
  ];
}

function contentOf(lines: readonly string[]): Buffer {
  const shown = lines.map((line, index) =>
    Buffer.concat([bytes(`/F1 ${index === 0 ? 18 : 11} Tf (`), textBytes(line), bytes(') Tj T*\n')]),
  );
  return Buffer.concat([bytes('BT 50 780 Td 20 TL\n'), ...shown, bytes('ET')]);
}

function textBytes(line: string): Buffer {
  const escaped = line.replace(/[\\()]/g, '\\$&');
  return Buffer.from([...escaped].map((one) => winAnsi[one] ?? Math.min(one.codePointAt(0) ?? 63, 255)));
}

function stream(dictionary: string, content: Buffer): Buffer {
  return Buffer.concat([
    bytes(`<< ${dictionary} /Length ${content.length} >>\nstream\n`),
    content,
    bytes('\nendstream'),
  ]);
}

function assemble(objects: readonly Buffer[]): Buffer {
  const parts = [bytes('%PDF-1.7\n%âãÏÓ\n')];
  const offsets = objects.map((object, index) => {
    const offset = parts.reduce((sum, { length }) => sum + length, 0);
    parts.push(bytes(`${index + 1} 0 obj\n`), object, bytes('\nendobj\n'));
    return offset;
  });
  const start = parts.reduce((sum, { length }) => sum + length, 0);
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    bytes(`xref\n0 ${size}\n0000000000 65535 f \n${rows}`),
    bytes(`trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
