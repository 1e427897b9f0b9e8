import { deflateSync } from 'node:zlib';

type Options = {
  /** As a PDF string: literal or hexadecimal. */
  name?: string;
  /** `plain`, deflated, or deflated with the file specification in an object stream. */
  form?: 'plain' | 'flate' | 'objects';
  /** The length in the stream's dictionary; by default the right one. */
  length?: string;
  /** More of the stream's dictionary. */
  more?: string;
  /** The bytes of the stream, instead of what `form` makes of the attachment. */
  stream?: Buffer;
};

/** A small PDF with one page and one attachment, and a picture whose bytes look like a PDF's own words. */
export function writePdf(attachment: string | Buffer, options: Options = {}): Buffer {
  const { name = '(factur-x.xml)', form = 'flate', more = '' } = options;
  const plain = Buffer.from(attachment);
  const bytes = options.stream ?? (form === 'plain' ? plain : deflateSync(plain));
  const filter = form === 'plain' ? '' : '/Filter /FlateDecode ';
  const spec = `<< /Type /Filespec /F ${name} /UF ${name} /AFRelationship /Data /EF << /F 6 0 R /UF 6 0 R >> >>`;
  const picture = Buffer.from('9 0 obj << /EF << /F 6 0 R >> /F (factur-x.xml) >> trailer \u0000\u00ff(', 'latin1');
  const file = [
    text('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n'),
    object(1, '<< /Type /Catalog /Pages 2 0 R /AF [5 0 R] /Names << /EmbeddedFiles << /Names [(a) 5 0 R] >> >> >>'),
    object(2, '<< /Type /Pages /Kids [3 0 R] /Count 1 >> % the only one (of this file'),
    object(
      3,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /R true /S null /T (a \\) b (c)) >>',
    ),
    streamObject(4, `<< /Length ${picture.length} >>`, picture),
    streamObject(
      6,
      `<< /Type /EmbeddedFile /Subtype /text#2Fxml ${filter}/Length ${options.length ?? bytes.length} ${more}>>`,
      bytes,
    ),
    object(7, String(bytes.length)),
    form === 'objects'
      ? objectStream(
          8,
          new Map([
            [5, spec],
            [10, '[1 2 3]'],
          ]),
        )
      : object(5, spec),
    text('trailer\n<< /Root 1 0 R /Size 11 >>\nstartxref\n0\n%%EOF\n'),
  ];
  return Buffer.concat(file);
}

export function object(number: number, value: string): Buffer {
  return text(`${number} 0 obj\n${value}\nendobj\n`);
}

export function streamObject(number: number, dict: string, bytes: Buffer): Buffer {
  return Buffer.concat([text(`${number} 0 obj\n${dict}\nstream\r\n`), bytes, text('\nendstream\nendobj\n')]);
}

function objectStream(number: number, objects: Map<number, string>): Buffer {
  const values = [...objects.values()];
  const places = values.map((_, index) => values.slice(0, index).join(' ').length + (index === 0 ? 0 : 1));
  const pairs = [...objects.keys()].map((key, index) => `${key} ${places[index]}`).join(' ');
  const content = deflateSync(text(`${pairs} ${values.join(' ')}`));
  const dict = `<< /Type /ObjStm /N ${objects.size} /First ${pairs.length + 1} /Filter /FlateDecode /Length ${content.length} >>`;
  return streamObject(number, dict, content);
}

function text(characters: string): Buffer {
  return Buffer.from(characters, 'latin1');
}
