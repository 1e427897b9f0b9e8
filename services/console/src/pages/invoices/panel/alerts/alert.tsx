import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../../../../components/classes.ts';
import styles from '../panel.module.css';

type AlertProps = { title: string; children?: ReactNode; isDanger?: boolean; isRegion?: boolean };

/** A notice that must be read before any action. */
export function Alert({ title, children, isDanger = false, isRegion = false }: AlertProps) {
  const Icon = isDanger ? CircleAlert : TriangleAlert;
  return (
    <section
      className={classes(styles['alert'], isDanger && styles['danger'])}
      {...(isRegion ? { 'aria-label': title } : {})}
    >
      <h3>
        <Icon size={15} aria-hidden="true" />
        {title}
      </h3>
      {children && <div className={styles['alertBody']}>{children}</div>}
    </section>
  );
}
