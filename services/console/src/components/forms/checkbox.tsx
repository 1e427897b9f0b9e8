import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox, type CheckboxProps } from 'react-aria-components';
import styles from './field.module.css';

type Props = Omit<CheckboxProps, 'className' | 'children'> & { children?: ReactNode };

/** Without children it needs an `aria-label`. */
export function Checkbox({ children, ...props }: Props) {
  return (
    <AriaCheckbox {...props} className={styles['choice'] as string}>
      {({ isIndeterminate }) => (
        <>
          <span className={styles['mark']} aria-hidden="true">
            {isIndeterminate ? <Minus size={12} strokeWidth={3} /> : <Check size={12} strokeWidth={3} />}
          </span>
          {children !== undefined && <span>{children}</span>}
        </>
      )}
    </AriaCheckbox>
  );
}
