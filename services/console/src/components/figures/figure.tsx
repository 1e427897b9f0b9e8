import { type ComponentType, type ReactNode, useState } from 'react';
import { Link } from 'react-aria-components';
import { formatNumber } from '../../i18n/format.ts';
import { useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { DataTable } from '../data-display/data-table.tsx';
import { ExportButtons } from '../data-display/export-buttons.tsx';
import { sheetBlob } from '../data-display/sheet-blob.ts';
import { Loaded } from '../states.tsx';
import { Card, type CardProps } from './card.tsx';
import { useCellText } from './cell-text.tsx';
import { type Chart, currencyOf, headOf, hrefOfCell, keyOf, type Row, sheetOf } from './chart.ts';
import styles from './figures.module.css';

export type Query<T> = { data: T | undefined; error: unknown; refetch: () => unknown };
export type Drawing = ComponentType<{ chart: Chart; label: string }>;

type FigureProps<T> = Omit<CardProps, 'children' | 'tools'> & {
  query: Query<T>;
  /** The charts of an answer: one for each currency. A chart without rows says `empty`. */
  read: (data: T) => Chart[];
  /** What its rows are, as the head of their column says. */
  nameOfRows: string;
  /** Draws a chart; without it the table is all. */
  draw?: Drawing;
  empty: string;
  /** About how many rows it has, for the room that it takes while it is loading. */
  rows?: number;
};

/** A figure: drawn, as a table, and as a file. It says by itself that it is loading, has failed, or is empty. */
export function Figure<T>({ query, read, draw, nameOfRows, empty, rows = 4, ...card }: FigureProps<T>) {
  const texts = useFrameTexts();
  const charts = query.data === undefined ? [] : read(query.data).filter((chart) => chart.rows.length > 0);
  const tools = charts.length > 0 && (
    <ExportButtons
      name={card.title}
      of={card.title}
      read={(format) => {
        const { columns, cells } = sheetOf(charts, { nameOfRows, currency: texts.currency });
        return sheetBlob(format, { name: card.title, columns }, cells);
      }}
    />
  );
  return (
    <Card {...card} tools={tools}>
      <Loaded query={query} rows={rows}>
        {() =>
          charts.length === 0 ? (
            <p className={styles['says']}>{empty}</p>
          ) : (
            charts.map((chart) => (
              <Drawn
                key={chart.series.map(({ currency }) => currency).join()}
                chart={chart}
                draw={draw}
                nameOfRows={nameOfRows}
              >
                {charts.length > 1 ? `${card.title}, ${currencyOf(chart)}` : card.title}
              </Drawn>
            ))
          )
        }
      </Loaded>
    </Card>
  );
}

type DrawnProps = { chart: Chart; draw: Drawing | undefined; nameOfRows: string; children: string };

function Drawn({ chart, draw: Draw, nameOfRows, children: label }: DrawnProps) {
  const texts = useFrameTexts();
  const { locale } = useLocale();
  const [isTableOpen, setTableOpen] = useState(false);
  const table = <ChartTable chart={chart} nameOfRows={nameOfRows} label={label} />;
  if (!Draw) return table;
  const { length } = chart.rows;
  const { drawn = length } = chart;
  return (
    <>
      <Draw chart={{ ...chart, rows: chart.rows.slice(0, drawn) }} label={label} />
      <details className={styles['details']} onToggle={(event) => setTableOpen(event.currentTarget.open)}>
        <summary>{length > drawn ? texts.allAsTable(formatNumber(length, locale)) : texts.asTable}</summary>
        {isTableOpen && table}
      </details>
    </>
  );
}

function ChartTable({ chart, nameOfRows, label }: { chart: Chart; nameOfRows: string; label: string }) {
  const textOf = useCellText();
  const columns = chart.series.map((one, index) => ({
    title: headOf(one, chart),
    kind: 'number' as const,
    cell: (row: Row) => (
      <Behind row={{ ...row, href: hrefOfCell(row, index) }}>
        {textOf(row.cells[index], { ...one, ...(row.kind && { kind: row.kind }) })}
      </Behind>
    ),
  }));
  const name = {
    title: nameOfRows,
    kind: 'header' as const,
    cell: (row: Row) => <Behind row={row}>{row.name}</Behind>,
  };
  return <DataTable label={label} columns={[name, ...columns]} items={chart.rows} keyOf={keyOf} />;
}

/** What a row shows, as the link to the list behind it if it has one. */
export function Behind({
  row,
  className,
  children,
}: {
  row: Row;
  className?: string | undefined;
  children: ReactNode;
}) {
  if (row.href === undefined) return <span className={className}>{children}</span>;
  return (
    <Link href={row.href} className={className ?? ''}>
      {children}
    </Link>
  );
}
