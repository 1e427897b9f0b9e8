import { scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { VisuallyHidden } from 'react-aria-components';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { useMedia } from '../layout/use-media.ts';
import { useCellText } from './cell-text.tsx';
import { type Chart, drawnOf, keyOf, leadOf, type Row, type Series } from './chart.ts';
import { Behind, type Drawing } from './figure.tsx';
import styles from './figures.module.css';

/*
 * d3 computes the scales; React draws, since every bar is a link of the router. Positions across are in percent, so that a
 * drawing fits any width, and paper, without being measured.
 */
const barPx = 14;
const columnsPx = 132;

/** The class of a series by its place. */
const toneOf = (index: number) => styles[`tone${(index % 5) + 1}`];

/** Bars from left to right, each row a link; several series stand one under another. */
export const Bars: Drawing = ({ chart, label }) => {
  const { drawn, numbersOf, all } = drawnOf(chart);
  const scale = scaleLinear([Math.min(0, ...all), Math.max(1, ...all)], [0, 100]);
  const height = barPx / drawn.length;
  return (
    <Rows chart={chart} label={label}>
      {(row) =>
        numbersOf(row).map((number, index) => (
          <rect
            key={drawn[index]?.name}
            className={toneOf(index)}
            x={`${Math.min(scale(0), scale(number))}%`}
            width={`${Math.abs(scale(number) - scale(0))}%`}
            y={index * height}
            height={height - (drawn.length > 1 ? 1 : 0)}
          />
        ))
      }
    </Rows>
  );
};

/** Bars whose series follow one another, for counts of parts. */
export const StackedBars: Drawing = ({ chart, label }) => {
  const { drawn, numbersOf } = drawnOf(chart);
  const totals = chart.rows.map((row) => sumOf(numbersOf(row)));
  const scale = scaleLinear([0, Math.max(1, ...totals)], [0, 100]);
  return (
    <Rows chart={chart} label={label} isSummedUp>
      {(row) => {
        const numbers = numbersOf(row);
        return numbers.map((number, index) => (
          <rect
            key={drawn[index]?.name}
            className={toneOf(index)}
            x={`${scale(sumOf(numbers.slice(0, index)))}%`}
            width={`${scale(number)}%`}
            height={barPx}
          />
        ));
      }}
    </Rows>
  );
};

const sumOf = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0);

type RowsProps = {
  chart: Chart;
  label: string;
  isSummedUp?: boolean;
  children: (row: Row) => ReactNode;
};

function Rows({ chart, label, isSummedUp = false, children }: RowsProps) {
  const textOf = useCellText();
  const { drawn, numbersOf } = drawnOf(chart);
  const leadText = useLeadText(chart.series);
  return (
    <>
      <Legend chart={chart} />
      <ul className={styles['bars']} aria-label={label}>
        {chart.rows.map((row) => {
          const [first] = drawn;
          return (
            <li key={keyOf(row)}>
              <Behind row={row} className={styles['bar']}>
                <span className={styles['name']}>{row.name}</span>
                <svg className={styles['drawing']} height={barPx} aria-hidden="true">
                  {children(row)}
                </svg>
                <span className={styles['value']}>
                  {isSummedUp && first ? textOf(sumOf(numbersOf(row)), first) : leadText(row)}
                </span>
              </Behind>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** The text of what says most of a row (`leadOf`), which is named unless it is the first. */
function useLeadText(series: readonly Series[]): (row: Row) => string {
  const textOf = useCellText();
  const { labelled } = useFrameTexts();
  return (row) => {
    const lead = leadOf(series, row);
    const one = series[lead];
    if (!one) return '';
    const text = textOf(row.cells[lead], { ...one, ...(row.kind && { kind: row.kind }) });
    return lead === 0 ? text : labelled(one.name, text);
  };
}

/** One column a row, for periods of time. On a telephone they are bars: fingers need wider targets than columns are there. */
export const Columns: Drawing = (props) =>
  useMedia('(max-width: 640px)') ? <Bars {...props} /> : <WideColumns {...props} />;

/** Several series stand side by side. */
const WideColumns: Drawing = ({ chart, label }) => {
  const textOf = useCellText();
  const { labelled } = useFrameTexts();
  const { drawn, numbersOf, all } = drawnOf(chart);
  const scale = scaleLinear([Math.min(0, ...all), Math.max(1, ...all)], [columnsPx, 0]).nice(3);
  const width = 80 / drawn.length;
  const [first] = drawn;
  return (
    <>
      <Legend chart={chart} />
      <div className={styles['plot']}>
        <div className={styles['ticks']} style={{ height: columnsPx }} aria-hidden="true">
          {first &&
            scale.ticks(3).map((tick) => (
              <span key={tick} style={{ top: scale(tick) }}>
                {textOf(tick, first)}
              </span>
            ))}
        </div>
        <ul className={styles['columns']} aria-label={label}>
          {chart.rows.map((row) => (
            <li key={keyOf(row)}>
              <Behind row={row} className={styles['column']}>
                <svg className={styles['drawing']} height={columnsPx} aria-hidden="true">
                  <line className={styles['axis']} x1="0" x2="100%" y1={scale(0)} y2={scale(0)} />
                  {numbersOf(row).map((number, index) => (
                    <rect
                      key={drawn[index]?.name}
                      className={toneOf(index)}
                      x={`${10 + index * width}%`}
                      width={`${width}%`}
                      y={Math.min(scale(0), scale(number))}
                      height={Math.abs(scale(number) - scale(0))}
                    />
                  ))}
                </svg>
                <span className={styles['under']}>{row.name}</span>
                <VisuallyHidden elementType="span">
                  {drawn.map((one) => labelled(one.name, textOf(row.cells[one.index], one))).join(', ')}
                </VisuallyHidden>
              </Behind>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
};

/** Which colour is what, where there are several. */
function Legend({ chart }: { chart: Chart }) {
  const { drawn } = drawnOf(chart);
  if (drawn.length < 2) return null;
  return (
    <ul className={styles['legend']}>
      {drawn.map(({ name }, index) => (
        <li key={name}>
          <svg width="10" height="10" aria-hidden="true">
            <rect className={toneOf(index)} width="10" height="10" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

/** A few numbers in large: what says most of each large, the others small below it. */
export const Numbers: Drawing = ({ chart: { series, rows }, label }) => {
  const textOf = useCellText();
  const { labelled } = useFrameTexts();
  const leadText = useLeadText(series);
  return (
    <ul className={styles['numbers']} aria-label={label}>
      {rows.map((row) => (
        <li key={keyOf(row)}>
          <Behind row={row} className={styles['number']}>
            <span className={styles['name']}>{row.name}</span>
            <span className={styles['large']}>{leadText(row)}</span>
            {series.map((one, index) =>
              row.cells[index] && index !== leadOf(series, row) ? (
                <span key={one.name} className={styles['small']}>
                  {labelled(one.name, textOf(row.cells[index], one))}
                </span>
              ) : null,
            )}
          </Behind>
        </li>
      ))}
    </ul>
  );
};
