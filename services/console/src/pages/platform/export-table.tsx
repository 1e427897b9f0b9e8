import type { ReactNode } from 'react';
import { Badge } from '../../components/data-display/badge.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { momentOf } from '../../components/data-display/list-file.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { EnglishText } from '../../components/error-text.tsx';
import { formatNumber } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import type { Family } from '../../words/family.ts';
import type { CompanyExport } from './platform.ts';
import { useTexts } from './texts.ts';

type Column = DataColumn<CompanyExport>;
type Columns = { head: Pick<Column, 'title' | 'cell'>; download?: Column['cell'] };

/** Exports by what they are of (`head`), each with how it is downloaded once it is there, by default by the user. */
export function ExportTable({ label, items, ...given }: Columns & { label: string; items: CompanyExport[] }) {
  return <DataTable label={label} items={items} keyOf={({ id }) => id} columns={useExportColumns(given)} />;
}

export function useExportColumns({ head, download }: Columns): Column[] {
  const texts = useTexts();
  const link = ({ id, file_name: name }: CompanyExport) => (
    <a href={`/exports/${id}/file`} download aria-label={texts.downloadOf(name)}>
      {texts.download}
    </a>
  );
  const words: Record<string, string> = texts.exportStates;
  return [
    { ...head, kind: 'header' },
    { title: texts.status, cell: (one) => <State one={one} />, inFile: ({ state }) => words[state] ?? state },
    {
      title: texts.requested,
      isMinor: true,
      cell: (one) => <DateTime value={one.requested_at} />,
      inFile: (one) => momentOf(one.requested_at),
    },
    {
      title: texts.until,
      isMinor: true,
      cell: ({ expires_at: at }) => at && <DateTime value={at} />,
      inFile: ({ expires_at: at }) => momentOf(at),
    },
    { title: texts.actions, kind: 'actions', cell: (one) => one.state === 'done' && (download ?? link)(one) },
  ];
}

const families: Record<string, Family> = {
  collecting: 'progress',
  writing: 'progress',
  done: 'success',
  failed: 'danger',
  expired: 'neutral',
};

/** The state, with how far it has come or why it failed. */
function State({ one: { state, progress, error } }: { one: CompanyExport }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const words: Record<string, string> = texts.exportStates;
  const shown = (count: number) => formatNumber(count, locale);
  const lines = progress.kinds.reduce((sum, { count }) => sum + count, 0);
  const { done, total } = progress.files;
  const more: Record<string, ReactNode> = {
    collecting: texts.lines(shown(lines)),
    writing: total > 0 && texts.filesOf(shown(done), shown(total)),
    failed: error && <EnglishText>{error.message}</EnglishText>,
  };
  return (
    <>
      <Badge family={families[state] ?? 'neutral'}>{words[state] ?? state}</Badge> {more[state]}
    </>
  );
}
