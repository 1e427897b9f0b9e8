import type { ReactNode } from 'react';
import { Link } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './table.module.css';

export type DataColumn<Item> = {
  title: string;
  cell: (item: Item) => ReactNode;
  /** `header`: names the row and is its link. `actions`: buttons; screen readers alone get the title. */
  kind?: 'header' | 'number' | 'actions';
  /** Left out on a telephone. */
  isMinor?: boolean;
};

type DataTableProps<Item> = {
  label: string;
  columns: DataColumn<Item>[];
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The address that a row links to, if it has one. */
  hrefOf?: (item: Item) => string;
  /** What the history of the browser keeps with a page that a row leads to. */
  linkState?: object;
};

/** A `table` to read. If rows are selected by keyboard, use React Aria's `GridList`. */
export function DataTable<Item>({ label, columns, items, keyOf, hrefOf, linkState }: DataTableProps<Item>) {
  return (
    <div className={styles['scroll']}>
      <table aria-label={label} className={styles['table']}>
        <thead>
          <tr>
            {columns.map(({ title, kind, isMinor }) => (
              <th key={title} scope="col" className={classOf('head', { kind, isMinor })}>
                {kind === 'actions' ? <span className={styles['hidden']}>{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} className={classes(styles['plainRow'], hrefOf && styles['linked'])}>
              {columns.map((column) => (
                <BodyCell key={column.title} {...{ column, item, hrefOf, linkState }} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type CellOf<Item> = {
  column: DataColumn<Item>;
  item: Item;
  hrefOf: ((item: Item) => string) | undefined;
  linkState: object | undefined;
};

function BodyCell<Item>({ column, item, hrefOf, linkState: state }: CellOf<Item>) {
  const { kind, cell } = column;
  const className = classOf('cell', column);
  if (kind !== 'header') return <td className={className}>{cell(item)}</td>;
  return (
    <th scope="row" className={className}>
      {hrefOf ? (
        <Link href={hrefOf(item)} {...(state && { routerOptions: { state } })} className={styles['rowLink'] as string}>
          {cell(item)}
        </Link>
      ) : (
        cell(item)
      )}
    </th>
  );
}

type Kind = { kind?: DataColumn<unknown>['kind'] | undefined; isMinor?: boolean | undefined };

function classOf(base: string, { kind, isMinor }: Kind): string {
  return classes(
    styles[base],
    kind === 'number' && styles['number'],
    kind === 'actions' && styles['actions'],
    kind === 'header' && styles['rowHeader'],
    isMinor && styles['minor'],
  );
}
