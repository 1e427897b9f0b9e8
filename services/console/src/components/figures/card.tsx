import { type ReactNode, useId } from 'react';
import { Link } from 'react-aria-components';
import { useFrameTexts } from '../../i18n/locale.tsx';
import styles from './figures.module.css';

export type CardProps = {
  title: string;
  /** One sentence: what it shows. */
  says: string;
  /** The list behind it as a whole. */
  href?: string | undefined;
  isWide?: boolean;
  /** Buttons beside the link. */
  tools?: ReactNode;
  children: ReactNode;
};

/** One thing to look at: a `region` with its name and a sentence. */
export function Card({ title, says, href, isWide, tools, children }: CardProps) {
  const texts = useFrameTexts();
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles['card']} data-wide={isWide || undefined}>
      <div className={styles['head']}>
        <h2 id={id}>{title}</h2>
        <div className={styles['tools']}>
          {tools}
          {href && (
            <Link href={href} aria-label={texts.actionOn(texts.openList, title)}>
              {texts.openList}
            </Link>
          )}
        </div>
      </div>
      <p className={styles['says']}>{says}</p>
      {children}
    </section>
  );
}
