import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps, Link, type LinkProps } from 'react-aria-components';
import styles from './button.module.css';
import { classes } from './classes.ts';

type Look = {
  /** `primary`: what the page is for, once. `quiet`: beside others. `danger`: cannot be taken back. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  /** A square with an icon: give it an `aria-label`. */
  isIcon?: boolean;
};

const lookOf = ({ variant = 'secondary', isIcon = false }: Look) =>
  classes(styles['button'], styles[variant], isIcon && styles['icon']);

export type ButtonProps = Omit<AriaButtonProps, 'className' | 'children'> & Look & { children: ReactNode };

/** While `isPending` it shows that it works, and takes no second press. */
export function Button({ variant, isIcon, children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={lookOf({ ...(variant && { variant }), ...(isIcon && { isIcon }) })}>
      {props.isPending && <span className={styles['spinner']} aria-hidden="true" />}
      {children}
    </AriaButton>
  );
}

/** Leads somewhere, so it can be opened in another tab. */
export function ButtonLink({
  variant,
  isIcon,
  ...props
}: Omit<LinkProps, 'className'> & Look & { children: ReactNode }) {
  return <Link {...props} className={lookOf({ ...(variant && { variant }), ...(isIcon && { isIcon }) })} />;
}
