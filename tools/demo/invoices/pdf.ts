import { deflateSync } from 'node:zlib';

/** Characters of WinAnsi, the encoding of the font, that Latin 1 has not. */
const winAnsi: Record<string, number> = { '€': 0x80, '…': 0x85, '‘': 0x91, '’': 0x92, '–': 0x96, œ: 0x9c };
const firstPage = 4;

/**
 * A PDF with lines of text on each of its pages, in a font that is not in it; with `xml`, the same invoice for
 * machines, a Factur-X invoice.
 */
export function pdfOf(pages: readonly (readonly string[])[], xml: string | null = null): Buffer {
  const kids = pages.map((_, index) => `${firstPage + 2 * index} 0 R`).join(' ');
  const file = firstPage + 2 * pages.length;
  return assemble([
    bytes(`<< /Type /Catalog /Pages 2 0 R${xml === null ? '' : linkTo(file)} >>`),
    bytes(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    bytes('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'),
    ...pages.flatMap((lines, index) => [
      bytes(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${firstPage + 2 * index + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      ),
      stream('', contentOf(lines)),
    ]),
    ...(xml === null ? [] : attached(file, xml)),
  ]);
}

function linkTo(file: number): string {
  return ` /AF [${file} 0 R] /Names << /EmbeddedFiles << /Names [(factur-x.xml) ${file} 0 R] >> >> /Metadata ${file + 2} 0 R`;
}

/** The file specification, the file, and the metadata that name the profile, as three objects from `file` on. */
function attached(file: number, xml: string): Buffer[] {
  const metadata = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:fx="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"><fx:DocumentType>INVOICE</fx:DocumentType><fx:DocumentFileName>factur-x.xml</fx:DocumentFileName><fx:Version>1.0</fx:Version><fx:ConformanceLevel>EN 16931</fx:ConformanceLevel></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
  const embedded = `/EF << /F ${file + 1} 0 R /UF ${file + 1} 0 R >>`;
  return [
    bytes(`<< /Type /Filespec /F (factur-x.xml) /UF (factur-x.xml) /AFRelationship /Alternative ${embedded} >>`),
    stream('/Type /EmbeddedFile /Subtype /text#2Fxml /Filter /FlateDecode', deflateSync(xml)),
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
