import type { ExportedFile } from '@app/contracts';
import type { ExportedRow } from './export-source.ts';

/** A page ends once it has reached one of these. */
type PageLimits = { rows: number; bytes: number; files: number; ms: number };
export type ExportPage = { count: number; lines: string; files: ExportedFile[]; next: string | null };

/** Small enough for one message of the broker, large enough that a million rows take some thousand pages. */
const pageLimits: PageLimits = { rows: 500, bytes: 256 * 1024, files: 500, ms: 2_000 };

/** Reads the rows of one page, and no more: the rest of the source is left alone. */
export async function readExportPage(
  rows: AsyncIterable<ExportedRow>,
  limits: PageLimits = pageLimits,
): Promise<ExportPage> {
  const until = performance.now() + limits.ms;
  const lines: string[] = [];
  const files: ExportedFile[] = [];
  let bytes = 0;
  for await (const { position, value, files: named = [] } of rows) {
    if (value !== undefined) {
      const line = `${JSON.stringify(value)}\n`;
      lines.push(line);
      bytes += Buffer.byteLength(line);
    }
    files.push(...named);
    const isFull = lines.length >= limits.rows || bytes >= limits.bytes || files.length >= limits.files;
    if (isFull || performance.now() > until) return pageOf(lines, files, position);
  }
  return pageOf(lines, files, null);
}

function pageOf(lines: string[], files: ExportedFile[], next: string | null): ExportPage {
  return { count: lines.length, lines: lines.join(''), files, next };
}
