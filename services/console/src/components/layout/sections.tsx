import { type ReactNode, useId } from 'react';
import styles from './sections.module.css';

/** A part of a page with a title: a `region` of that name. */
export function Section({
  title,
  hint,
  actions,
  children,
}: {
  title: string;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles['section']}>
      <div className={styles['head']}>
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {hint && <Hint>{hint}</Hint>}
      {children}
    </section>
  );
}

/** A hint beside what it explains; `id` is for `aria-describedby`. */
export function Hint({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className={styles['hint']}>
      {children}
    </p>
  );
}

/** Names and values; a value that is missing is left out. */
export function DescriptionList({ entries }: { entries: [name: string, value: ReactNode][] }) {
  return (
    <dl className={styles['facts']}>
      {entries.map(([name, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Fields beside each other where there is room. */
export function FieldRow({ children }: { children: ReactNode }) {
  return <div className={styles['two']}>{children}</div>;
}
