import type { ExportedCompany, ExportedFile } from '@app/contracts';
import { type ExportSource, readExportPage } from '@app/service/export';

// biome-ignore lint/suspicious/noExplicitAny: whatever a line says
export type Exported = { rows: any[]; files: ExportedFile[]; text: string };

/** All that a source gives of a company, in pages of one row: nothing may be lost or repeated between two pages. */
export async function exportedRows(source: ExportSource | undefined, company: ExportedCompany): Promise<Exported> {
  if (!source) throw new Error('there is no such source');
  const files: ExportedFile[] = [];
  let text = '';
  for (let after: string | null = null; ; ) {
    const page = await readExportPage(source(company, after), { rows: 1, bytes: 1, files: 1, ms: 60_000 });
    text += page.lines;
    files.push(...page.files);
    if (page.next === null) break;
    after = page.next;
  }
  return {
    rows: text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
    files,
    text,
  };
}
