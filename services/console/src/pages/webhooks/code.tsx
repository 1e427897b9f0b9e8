import styles from './webhooks.module.css';

/** Text of programs, as it is. */
export function Code({ children }: { children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard, too
    <pre className={styles['code']} tabIndex={0}>
      {children}
    </pre>
  );
}
