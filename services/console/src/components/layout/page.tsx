import { type ReactNode, useEffect } from 'react';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { classes } from '../classes.ts';
import styles from './page.module.css';

type PageProps = {
  /** The one `h1`, and the title of the tab. Empty while it is not known. */
  title: string;
  /** Replaces the title on the page: with a badge beside it, for instance. */
  heading?: ReactNode;
  /** One sentence below the title. */
  intro?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** Limits the width: for forms and texts, which are hard to read on a wide screen. */
  isNarrow?: boolean;
  children: ReactNode;
};

/** The frame of every page: its title, its main actions, its content. */
export function Page({ title, heading, intro, actions, isNarrow = false, children }: PageProps) {
  const { product } = useFrameTexts();
  useEffect(() => {
    document.title = title ? `${title} · ${product}` : product;
  }, [title, product]);
  return (
    <div className={classes(styles['page'], isNarrow && styles['narrow'])}>
      <div className={styles['head']}>
        {title && <h1>{heading ?? title}</h1>}
        {actions && (
          <div className={styles['actions']} data-screen>
            {actions}
          </div>
        )}
      </div>
      {intro && <p className={styles['intro']}>{intro}</p>}
      {children}
    </div>
  );
}
