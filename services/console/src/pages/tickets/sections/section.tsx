import { type ReactNode, useId } from 'react';
import styles from '../tickets.module.css';

type Props = { id: string; title: string; actions?: ReactNode; children: ReactNode };

/** A part of a ticket: a region with its name, and an anchor of the address. */
export function Section({ id, title, actions, children }: Props) {
  const heading = useId();
  return (
    <section id={id} aria-labelledby={heading} className={styles['section']}>
      <div className={styles['sectionHead']}>
        <h2 id={heading}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
