import type { ReactNode } from 'react';
import { Link } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './table.module.css';

type Heading = { text: string; isNumber?: boolean };

/** A table to be read, in the look of the others: rows are opened by the link in their first cell. */
export function PlainTable({
  label,
  headings,
  children,
}: {
  label: string;
  headings: readonly Heading[];
  children: ReactNode;
}) {
  return (
    <div className={styles['scroll']}>
      <table aria-label={label} className={styles['table']}>
        <thead>
          <tr>
            {headings.map(({ text, isNumber = false }) => (
              <th key={text} scope="col" className={classes(styles['head'], isNumber && styles['number'])}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

type PlainRowProps = { href: string; name: ReactNode; children: ReactNode };

/** The whole row leads to `href`. `name` is its first cell; the others are `PlainCell`s. */
export function PlainRow({ href, name, children }: PlainRowProps) {
  return (
    <tr className={classes(styles['row'], styles['linked'])}>
      <td className={styles['cell']}>
        <Link href={href} className={styles['rowLink'] as string}>
          {name}
        </Link>
      </td>
      {children}
    </tr>
  );
}

export function PlainCell({ isNumber = false, children }: { isNumber?: boolean; children: ReactNode }) {
  return <td className={classes(styles['cell'], isNumber && styles['number'])}>{children}</td>;
}
