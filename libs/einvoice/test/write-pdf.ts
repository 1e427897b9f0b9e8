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

/** Names the file specification 5 as an attachment. */
export const catalog =
  '<< /Type /Catalog /Pages 2 0 R /AF [5 0 R] /Names << /EmbeddedFiles << /Names [(a) 5 0 R] >> >> >>';

/** A small PDF with one page and one attachment, and a picture whose bytes look like a PDF's own words. */
export function writePdf(attachment: string | Buffer, options: Options = {}): Buffer {
  const { name = '(factur-x.xml)', form = 'flate', more = '' } = options;
  const plain = Buffer.from(attachment);
  const bytes = options.stream ?? (form === 'plain' ? plain : deflateSync(plain));
  const filter = form === 'plain' ? '' : '/Filter /FlateDecode ';
  const dict = `<< /Type /EmbeddedFile /Subtype /text#2Fxml ${filter}/Length ${options.length ?? bytes.length} ${more}>>`;
  const picture = Buffer.from('9 0 obj << /EF << /F 6 0 R >> /F (factur-x.xml) >> trailer \u0000\u00ff(', 'latin1');
  const spec = `<< /Type /Filespec /F ${name} /UF ${name} /AFRelationship /Data /EF << /F 6 0 R /UF 6 0 R >> >>`;
  const objects = [
    object(1, catalog),
    object(2, '<< /Type /Pages /Kids [3 0 R] /Count 1 >> % the only one (of this file'),
    object(
      3,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /R true /S null /T (a \\) b (c)) >>',
    ),
    streamObject(4, `<< /Length ${picture.length} >>`, picture),
    streamObject(6, dict, bytes),
    object(7, String(bytes.length)),
  ];
  if (form !== 'objects') return revise(start, [...objects, object(5, spec)]);
  const packed = ['[1 2 3]', spec].join(' ');
  const pairs = '10 0 5 8';
  const content = deflateSync(text(`${pairs} ${packed}`));
  const container = `<< /Type /ObjStm /N 2 /First ${pairs.length + 1} /Filter /FlateDecode /Length ${content.length} >>`;
  const compressed: Row[] = [
    [10, 2, 8, 0],
    [5, 2, 8, 1],
  ];
  return revise(start, [...objects, streamObject(8, container, content)], { compressed, form: 'stream' });
}

/** What every PDF begins with. */
export const start = text('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n');

/** Number, type (0 free, 1 in the file, 2 in an object stream), and what the type needs. */
type Row = [number: number, type: number, place: number, index: number];
type Revision = {
  /** The form of its cross-reference; `both`: a table for old readers, and a stream for what it hides. */
  form?: 'table' | 'stream' | 'both';
  compressed?: Row[];
  /** Numbers of objects that it deletes. */
  free?: number[];
  /** How the rows of its stream are predicted; by default each from the one above, as most writers do. */
  predict?: Predict;
};
/** The bytes of a stream of rows of this length, and what its dictionary says of them. */
export type Predict = { parms: string; encode: (plain: Buffer, columns: number) => Buffer };

/** A filter of PNG (0: none, 1: left, 2: above, 3: average, 4: Paeth), as the specification of PNG defines it. */
export function png(filter: number, predictor = 10 + filter): Predict {
  const predicted = (a: number, b: number, c: number): number => {
    const p = a + b - c;
    const nearest = [a, b, c].reduce((best, one) => (Math.abs(p - one) < Math.abs(p - best) ? one : best));
    return [0, a, b, Math.floor((a + b) / 2), nearest][filter] as number;
  };
  const encode = (plain: Buffer, columns: number) => {
    const at = (row: number, column: number) => (row < 0 || column < 0 ? 0 : (plain[row * columns + column] as number));
    const rows = Array.from({ length: Math.ceil(plain.length / columns) }, (_, row) => {
      const bytes = plain.subarray(row * columns, (row + 1) * columns);
      return Buffer.from([
        filter,
        ...bytes.map(
          (byte, column) => byte - predicted(at(row, column - 1), at(row - 1, column), at(row - 1, column - 1)),
        ),
      ]);
    });
    return Buffer.concat(rows);
  };
  return { parms: `/Predictor ${predictor}`, encode };
}

/** Each byte from the one to its left; a row begins anew. */
export const tiff: Predict = {
  parms: '/Predictor 2',
  encode: (plain, columns) =>
    Buffer.from(plain.map((byte, at) => byte - (at % columns === 0 ? 0 : (plain[at - 1] as number)))),
};

/** Appends objects to a PDF, with a cross-reference that leads to them and to the one before. */
export function revise(
  before: Buffer,
  objects: Buffer[],
  { form = 'table', compressed = [], free = [], predict = png(2) }: Revision = {},
) {
  const rows: Row[] = [[0, 0, 0, 0], ...compressed, ...free.map((number): Row => [number, 0, 0, 0])];
  let body = before;
  for (const bytes of objects) {
    rows.push([Number.parseInt(bytes.toString('latin1'), 10), 1, body.length, 0]);
    body = Buffer.concat([body, bytes]);
  }
  const [, previous] = /startxref\n(\d+)\n%%EOF\n$/.exec(before.toString('latin1')) ?? [];
  const more = `/Root 1 0 R /Size 50${previous === undefined ? '' : ` /Prev ${previous}`}`;
  const inFile =
    form === 'stream'
      ? body
      : Buffer.concat([body, ...(form === 'both' ? [xrefStream(rows, more, { predict, list: '[' })] : [])]);
  const hidden = form === 'both' ? ` /XRefStm ${body.length}` : '';
  const reference =
    form === 'stream' ? xrefStream(rows, more, { predict }) : text(`${table(rows)}trailer\n<< ${more}${hidden} >>\n`);
  return Buffer.concat([inFile, reference, text(`startxref\n${inFile.length}\n%%EOF\n`)]);
}

/** What is in an object stream is free to those that know the table alone. */
function table(rows: Row[]): string {
  const entry = ([, type, place]: Row) =>
    type === 1 ? `${String(place).padStart(10, '0')} 00000 n` : '0000000000 65535 f';
  return `xref\n${rows.map((row) => `${row[0]} 1\n${entry(row)} \n`).join('')}`;
}

function xrefStream(rows: Row[], more: string, { predict, list = '' }: { predict: Predict; list?: '[' | '' }): Buffer {
  const plain = rows.map(([, type, place, index]) => {
    const row = Buffer.from([type, 0, 0, 0, 0, index]);
    row.writeUInt32BE(place, 1);
    return row;
  });
  const content = deflateSync(predict.encode(Buffer.concat(plain), 6));
  const index = rows.map(([number]) => `${number} 1`).join(' ');
  // Both are lists if a stream has several filters, and may be with one.
  const end = list && ']';
  const parms = `/Filter ${list}/FlateDecode${end} /DecodeParms ${list}<< ${predict.parms} /Columns 6 >>${end}`;
  return streamObject(
    49,
    `<< /Type /XRef /W [1 4 1] /Index [${index}] ${parms} /Length ${content.length} ${more} >>`,
    content,
  );
}

export function object(number: number, value: string): Buffer {
  return text(`${number} 0 obj\n${value}\nendobj\n`);
}

export function streamObject(number: number, dict: string, bytes: Buffer): Buffer {
  return Buffer.concat([text(`${number} 0 obj\n${dict}\nstream\r\n`), bytes, text('\nendstream\nendobj\n')]);
}

function text(characters: string): Buffer {
  return Buffer.from(characters, 'latin1');
}
