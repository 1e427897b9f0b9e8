import type { TsSchemas } from '@app/api-client';
import { useState } from 'react';
import { Badge } from '../../../components/data-display/badge.tsx';
import { type DataColumn, DataTable } from '../../../components/data-display/data-table.tsx';
import { LoadMore } from '../../../components/data-display/load-more.tsx';
import { FaultText } from '../../../components/error-text.tsx';
import type { Family } from '../../../words/family.ts';
import { useTexts } from '../texts.ts';
import styles from './import.module.css';

type Row = TsSchemas['ImportRow'];
type Preview = { preview: string | null; counts: Record<Row['verdict'], number>; unread: number; rows: Row[] };

const verdicts: Record<Row['verdict'], Family> = {
  faulty: 'danger',
  created: 'success',
  changed: 'info',
  unchanged: 'neutral',
};
const atOnce = 100;

/** How many rows do what, and those that do something: first what has faults. */
export function ImportPreview({ preview: { preview, counts, unread, rows } }: { preview: Preview }) {
  const texts = useTexts();
  const [shown, show] = useState(atOnce);
  const of = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict);
  const told = [...of('faulty'), ...rows.filter(({ verdict }) => verdict === 'created' || verdict === 'changed')];
  return (
    <>
      <div role="status" className={styles['counts']}>
        {(Object.keys(verdicts) as Row['verdict'][]).map((verdict) => (
          <Badge key={verdict} family={counts[verdict] > 0 ? verdicts[verdict] : 'neutral'}>
            {texts.rowCounts[verdict](counts[verdict])}
          </Badge>
        ))}
        {preview === null && <p>{texts.importNothing}</p>}
        {unread > 0 && <p>{texts.unread(unread)}</p>}
      </div>
      {told.length > 0 && <Rows rows={told.slice(0, shown)} />}
      <LoadMore more={told.length > shown ? () => show(shown + atOnce) : null} isLoading={false} />
    </>
  );
}

function Rows({ rows }: { rows: Row[] }) {
  const texts = useTexts();
  const columns: DataColumn<Row>[] = [
    { title: texts.line, kind: 'number', cell: ({ line }) => line },
    { title: texts.rowName, kind: 'header', cell: ({ name }) => name },
    {
      title: texts.verdict,
      cell: ({ verdict }) => <Badge family={verdicts[verdict]}>{texts.verdicts[verdict]}</Badge>,
    },
    { title: texts.cells, isWide: true, cell: (row) => <Cells row={row} /> },
  ];
  return <DataTable label={texts.importPreview} items={rows} keyOf={({ line }) => String(line)} columns={columns} />;
}

function Cells({ row: { verdict, changes, faults } }: { row: Row }) {
  const texts = useTexts();
  return (
    <ul className={styles['cells']}>
      {faults.map(({ column, message }) => (
        <li key={column} className={styles['fault']}>
          <code>{column}</code> <FaultText said={message} />
        </li>
      ))}
      {changes.map(({ column, before, after }) => (
        <li key={column}>
          <code>{column}</code>{' '}
          {verdict === 'created' ? after : texts.beforeAfter(before || texts.nothing, after || texts.nothing)}
        </li>
      ))}
    </ul>
  );
}
