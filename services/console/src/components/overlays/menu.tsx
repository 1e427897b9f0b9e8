import type { ReactNode } from 'react';
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps,
  type MenuProps,
  MenuTrigger,
  Popover,
} from 'react-aria-components';
import styles from '../forms/field.module.css';

export { MenuTrigger };

/** The list below a button: `<MenuTrigger><Button/><Menu aria-label="…"><MenuItem>…</MenuItem></Menu></MenuTrigger>`. */
export function Menu<T extends object>(props: Omit<MenuProps<T>, 'className'>) {
  return (
    <Popover className={styles['popover'] as string}>
      <AriaMenu {...props} className={styles['options'] as string} />
    </Popover>
  );
}

export function MenuItem({
  icon,
  children,
  ...props
}: Omit<MenuItemProps, 'className' | 'children'> & { icon?: ReactNode; children: ReactNode }) {
  return (
    <AriaMenuItem {...props} className={styles['option'] as string}>
      {icon}
      {children}
    </AriaMenuItem>
  );
}
