import { isDict, type PdfDict, type PdfValue } from './pdf-syntax.ts';

/** The filters of PNG, by the byte before each row: what a byte is predicted from its neighbours to the left, above and between. */
const pngFilters: readonly ((left: number, above: number, between: number) => number)[] = [
  () => 0,
  (left) => left,
  (_left, above) => above,
  (left, above) => (left + above) >> 1,
  paeth,
];
type Widths = { pixel: number; row: number };

/**
 * Undoes the predictor of a stream (ISO 32000, 7.4.4.4), by which writers compress cross-references above all. Null for
 * parameters that have no meaning, and for TIFF's predictor of samples that are no bytes, which only pictures have.
 */
export function unpredicted(content: Buffer, parms: PdfValue | undefined): Buffer | null {
  const given: PdfDict = isDict(parms) ? parms : { entries: new Map() };
  const numbers = [
    given.entries.get('/Predictor') ?? 1,
    given.entries.get('/Colors') ?? 1,
    given.entries.get('/BitsPerComponent') ?? 8,
    given.entries.get('/Columns') ?? 1,
  ];
  if (!numbers.every((one) => typeof one === 'number' && Number.isInteger(one) && one > 0)) return null;
  const [predictor, colors, bits, columns] = numbers as [number, number, number, number];
  const widths = { pixel: Math.ceil((colors * bits) / 8), row: Math.ceil((colors * bits * columns) / 8) };
  if (predictor === 1) return content;
  if (predictor === 2) return bits === 8 ? fromTiff(content, widths) : null;
  return predictor >= 10 && predictor <= 15 ? fromPng(content, widths) : null;
}

function fromTiff(content: Buffer, { pixel, row }: Widths): Buffer {
  const plain = Buffer.from(content);
  for (let at = 0; at < plain.length; at += 1) {
    if (at % row >= pixel) plain[at] = (plain[at] as number) + (plain[at - pixel] as number);
  }
  return plain;
}

/** Each row says its own filter, whichever of them `/Predictor` names. */
function fromPng(content: Buffer, { pixel, row }: Widths): Buffer | null {
  const rows = Math.ceil(content.length / (row + 1));
  const plain = Buffer.alloc(content.length - rows);
  for (let index = 0; index < rows; index += 1) {
    const start = index * row;
    const predict = pngFilters[content[start + index] as number];
    if (predict === undefined) return null;
    for (let at = start; at < Math.min(start + row, plain.length); at += 1) {
      const isFirst = at - start < pixel;
      const left = isFirst ? 0 : (plain[at - pixel] as number);
      const between = isFirst ? 0 : (plain[at - row - pixel] ?? 0);
      plain[at] = (content[at + index + 1] as number) + predict(left, plain[at - row] ?? 0, between);
    }
  }
  return plain;
}

/** The neighbour that is nearest to left + above - between. */
function paeth(left: number, above: number, between: number): number {
  const [toLeft, toAbove] = [Math.abs(above - between), Math.abs(left - between)];
  const toBetween = Math.abs(left + above - 2 * between);
  if (toLeft <= toAbove && toLeft <= toBetween) return left;
  return toAbove <= toBetween ? above : between;
}
