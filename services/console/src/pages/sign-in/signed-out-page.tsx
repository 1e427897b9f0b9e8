import type { ReactNode } from 'react';
import { Page } from '../../components/layout/page.tsx';
import { LanguageChoice } from '../../shell/display/language-choice.tsx';
import { ThemeChoice } from '../../shell/display/theme-choice.tsx';
import { Logo } from '../../shell/logo.tsx';
import styles from './sign-in.module.css';

/** The frame of pages for people who are not signed in. */
export function SignedOutPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={styles['page']}>
      <div className={styles['card']}>
        <Logo />
        <Page title={title}>{children}</Page>
      </div>
      <div className={styles['foot']}>
        <LanguageChoice />
        <ThemeChoice />
      </div>
    </main>
  );
}
