import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './tickets.module.css';

type Props = { id: string; title: string; actions?: ReactNode; children: ReactNode };

/** A part of a ticket: a region with its name, and an anchor of the address. */
export function Section({ id, title, actions, children }: Props) {
  const heading = useId();
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    // The browser looked for the anchor before the ticket was loaded.
    if (location.hash === `#${id}`) place.current?.scrollIntoView();
  }, [id]);
  return (
    <section id={id} ref={place} aria-labelledby={heading} className={styles['section']}>
      <div className={styles['sectionHead']}>
        <h2 id={heading}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
