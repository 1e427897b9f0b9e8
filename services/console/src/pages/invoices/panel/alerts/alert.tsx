import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../../../../components/classes.ts';
import styles from '../panel.module.css';

type AlertProps = { children?: ReactNode; isDanger?: boolean } & (
  | { title: string; isRegion?: boolean }
  | { title: ReactNode; isRegion?: false }
);

/** A notice that must be read before any action. */
export function Alert({ title, children, isDanger = false, isRegion = false }: AlertProps) {
  const Icon = isDanger ? CircleAlert : TriangleAlert;
  return (
    <section
      className={classes(styles['alert'], isDanger && styles['danger'])}
      {...(isRegion ? { 'aria-label': String(title) } : {})}
    >
      <h3>
        <Icon size={15} aria-hidden="true" />
        {title}
      </h3>
      {children && <div className={styles['alertBody']}>{children}</div>}
    </section>
  );
}
