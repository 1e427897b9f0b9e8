import type { ReactNode } from 'react';
import { Switch as AriaSwitch, type SwitchProps } from 'react-aria-components';
import styles from './switch.module.css';

/** A setting that takes effect at once, without a form. */
export function Switch({
  children,
  hint,
  ...props
}: Omit<SwitchProps, 'className' | 'children'> & { children: ReactNode; hint?: ReactNode }) {
  return (
    <AriaSwitch {...props} className={styles['switch'] as string}>
      <span className={styles['track']} aria-hidden="true" />
      <span>
        {children}
        {hint && <span className={styles['hint']}>{hint}</span>}
      </span>
    </AriaSwitch>
  );
}
