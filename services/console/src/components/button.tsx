import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps, Link, type LinkProps } from 'react-aria-components';
import styles from './button.module.css';
import { classes } from './classes.ts';

type Look = {
  /** `primary`: the main action, one per page. `quiet`: a minor one beside others. `danger`: cannot be undone. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  /** A square button with an icon only: give it an `aria-label`. */
  isIcon?: boolean;
};

const lookOf = ({ variant = 'secondary', isIcon = false }: Look) =>
  classes(styles['button'], styles[variant], isIcon && styles['icon']);

type Shortcut = {
  /** The key that does the same, as screen readers say it. */
  'aria-keyshortcuts'?: string;
};

/** A `ref`, since React Aria does not pass the attribute on. */
const withShortcut = (keys: string | undefined) => (element: Element | null) => {
  if (keys !== undefined) element?.setAttribute('aria-keyshortcuts', keys);
};

type ButtonProps = Omit<AriaButtonProps, 'className' | 'children'> & Look & Shortcut & { children: ReactNode };

/** A button. While `isPending` it shows progress and ignores presses. */
export function Button({ variant, isIcon, children, 'aria-keyshortcuts': keys, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      ref={withShortcut(keys)}
      className={lookOf({ ...(variant && { variant }), ...(isIcon && { isIcon }) })}
    >
      {props.isPending && <span className={styles['spinner']} aria-hidden="true" />}
      {children}
    </AriaButton>
  );
}

/** A link that looks like a button, so that it can be opened in another tab. */
export function ButtonLink({
  variant,
  isIcon,
  'aria-keyshortcuts': keys,
  ...props
}: Omit<LinkProps, 'className'> & Look & Shortcut & { children: ReactNode }) {
  return (
    <Link
      {...props}
      ref={withShortcut(keys)}
      className={lookOf({ ...(variant && { variant }), ...(isIcon && { isIcon }) })}
    />
  );
}
