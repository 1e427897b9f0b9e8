import type { Cell } from '@app/http/sheet-file';
import type { ReactNode } from 'react';
import { Link, VisuallyHidden } from 'react-aria-components';
import { classes } from '../classes.ts';
import { Checkbox } from '../forms/checkbox.tsx';
import styles from './table.module.css';

type RowSelection<Item> = {
  /** Keys of the selected rows. */
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  /** The accessible name of the checkbox of a row: `Select T-118`. */
  nameOf: (item: Item) => string;
  nameOfAll: string;
  /** The checkbox for all rows selects at most this many, the first ones. */
  most: number;
};

type AllProps<Item> = { selection: RowSelection<Item>; keys: readonly string[] };

function AllRowsBox<Item>({ selection, keys }: AllProps<Item>) {
  const { chosen, onChange, nameOfAll, most } = selection;
  const some = keys.filter((key) => chosen.has(key)).length;
  const isAll = some > 0 && some >= Math.min(keys.length, most);
  return (
    <Checkbox
      aria-label={nameOfAll}
      isSelected={isAll}
      isIndeterminate={some > 0 && !isAll}
      onChange={() => onChange(new Set(isAll ? [] : keys.slice(0, most)))}
    />
  );
}

type RowProps<Item> = { selection: RowSelection<Item>; item: Item; rowKey: string };

function RowBox<Item>({ selection: { chosen, onChange, nameOf }, item, rowKey }: RowProps<Item>) {
  const change = (isChosen: boolean) => {
    const others = [...chosen].filter((key) => key !== rowKey);
    onChange(new Set(isChosen ? [...others, rowKey] : others));
  };
  return <Checkbox aria-label={nameOf(item)} isSelected={chosen.has(rowKey)} onChange={change} />;
}

export type DataColumn<Item> = {
  title: string;
  cell: (item: Item) => ReactNode;
  /** What a `ListFile` says, if `cell` is more than a text or a number; null: nothing. */
  inFile?: ((item: Item) => Cell) | null;
  /** `header`: names the row and is its link. `actions`: buttons; screen readers alone get the title. */
  kind?: 'header' | 'number' | 'actions';
  /** Left out on a telephone. */
  isMinor?: boolean;
  /** Takes more room than others if it has much text. */
  isWide?: boolean;
  /** What its head sorts by. */
  sort?: string;
};

export type Sorting = { by: string | undefined; order: 'asc' | 'desc'; onSort: (by: string) => void };

type DataTableProps<Item> = {
  label: string;
  columns: DataColumn<Item>[];
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The address that a row links to, if it has one. */
  hrefOf?: (item: Item) => string;
  /** The history state of the page that a row links to. */
  linkState?: object;
  /** Shows a checkbox before each row. */
  selection?: RowSelection<Item>;
  /** The present order, for columns that have a `sort`. */
  sorting?: Sorting;
};

/** A `table` to read. If rows are selected by keyboard, use React Aria's `GridList`. */
export function DataTable<Item>({ label, columns, items, sorting, ...rows }: DataTableProps<Item>) {
  const { keyOf, selection } = rows;
  return (
    <div className={styles['scroll']}>
      <table aria-label={label} className={styles['table']}>
        <thead>
          <tr>
            {selection && (
              <td className={classOf('head', { kind: 'select' })}>
                <AllRowsBox selection={selection} keys={items.map(keyOf)} />
              </td>
            )}
            {columns.map((column) => (
              <Head key={column.title} {...column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <BodyRow key={keyOf(item)} item={item} columns={columns} {...rows} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeadProps = Pick<DataColumn<never>, 'title' | 'kind' | 'isMinor' | 'sort'> & { sorting: Sorting | undefined };

function Head({ title, kind, isMinor, sort, sorting }: HeadProps) {
  const className = classOf('head', { kind, ...(isMinor !== undefined && { isMinor }) });
  if (sort === undefined || !sorting) {
    return (
      <th scope="col" className={className}>
        {kind === 'actions' ? <VisuallyHidden>{title}</VisuallyHidden> : title}
      </th>
    );
  }
  const isSorted = sorting.by === sort;
  const order = sorting.order === 'asc' ? 'ascending' : 'descending';
  return (
    <th scope="col" className={className} aria-sort={isSorted ? order : 'none'}>
      <button type="button" className={styles['sort']} onClick={() => sorting.onSort(sort)}>
        {title}
        {isSorted && <span aria-hidden="true">{sorting.order === 'asc' ? ' ↑' : ' ↓'}</span>}
      </button>
    </th>
  );
}

type RowOf<Item> = Omit<DataTableProps<Item>, 'label' | 'items' | 'sorting'> & { item: Item };

function BodyRow<Item>({ item, columns, keyOf, hrefOf, linkState, selection }: RowOf<Item>) {
  const key = keyOf(item);
  const isChosen = selection?.chosen.has(key);
  return (
    <tr className={classes(styles['plainRow'], hrefOf && styles['linked'])} data-chosen={isChosen || undefined}>
      {selection && (
        <td className={classOf('cell', { kind: 'select' })}>
          <RowBox selection={selection} item={item} rowKey={key} />
        </td>
      )}
      {columns.map((column) => (
        <BodyCell key={column.title} column={column} item={item} hrefOf={hrefOf} linkState={linkState} />
      ))}
    </tr>
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

type Kind = {
  kind?: DataColumn<unknown>['kind'] | 'select' | undefined;
  isMinor?: boolean | undefined;
  isWide?: boolean | undefined;
};

function classOf(base: string, { kind, isMinor, isWide }: Kind): string {
  return classes(
    styles[base],
    kind === 'number' && styles['number'],
    kind === 'actions' && styles['actions'],
    kind === 'select' && styles['select'],
    kind === 'header' && styles['rowHeader'],
    isMinor && styles['minor'],
    isWide && styles['wide'],
  );
}
