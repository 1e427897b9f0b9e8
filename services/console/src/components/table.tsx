import {
  Cell as AriaCell,
  Column as AriaColumn,
  GridList as AriaGridList,
  GridListItem as AriaGridListItem,
  Row as AriaRow,
  Table as AriaTable,
  type CellProps,
  type ColumnProps,
  type GridListItemProps,
  type GridListProps,
  type RowProps,
  TableBody,
  TableHeader,
  type TableProps,
} from 'react-aria-components';
import { useFrameTexts } from '../i18n/locale.tsx';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './table.module.css';

export { TableBody, TableHeader };

/** React Aria's table, a `grid`, in the look of the console: `Table > TableHeader > Column*`, `TableBody > Row > Cell*`. `Row href` makes a row a link. */
export function Table(props: Omit<TableProps, 'className'>) {
  return (
    <div className={styles['scroll']}>
      <AriaTable {...props} className={styles['table'] as string} />
    </div>
  );
}

type Kind = { isNumber?: boolean; isActions?: boolean };
const cellClass = (base: string, { isNumber, isActions }: Kind) =>
  classes(styles[base], isNumber && styles['number'], isActions && styles['actions']);

export function Column({ isNumber = false, isActions = false, ...props }: Omit<ColumnProps, 'className'> & Kind) {
  return <AriaColumn {...props} className={cellClass('head', { isNumber, isActions })} />;
}

export function Row<T extends object>(props: Omit<RowProps<T>, 'className'>) {
  return <AriaRow {...props} className={styles['row'] as string} />;
}

export function Cell({ isNumber = false, isActions = false, ...props }: Omit<CellProps, 'className'> & Kind) {
  return <AriaCell {...props} className={cellClass('cell', { isNumber, isActions })} />;
}

/** A list whose rows can be selected and opened by keyboard, too. */
export function GridList<T extends object>(props: Omit<GridListProps<T>, 'className'>) {
  return <AriaGridList {...props} className={styles['list'] as string} />;
}

export function GridListItem<T extends object>(props: Omit<GridListItemProps<T>, 'className'>) {
  return <AriaGridListItem {...props} className={styles['item'] as string} />;
}

/** The button for the next page, below a list. */
export function More({ more, isLoading }: { more: (() => void) | null; isLoading: boolean }) {
  const texts = useFrameTexts();
  if (!more) return null;
  return (
    <div className={styles['more']}>
      <Button isPending={isLoading} onPress={more}>
        {texts.more}
      </Button>
    </div>
  );
}
