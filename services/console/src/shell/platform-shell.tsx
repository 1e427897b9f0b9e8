import type { ReactNode } from 'react';
import { Link } from 'react-aria-components';
import { useLocation } from 'wouter';
import { useFrameTexts } from '../i18n/locale.tsx';
import { LanguageChoice } from './display/language-choice.tsx';
import { ThemeChoice } from './display/theme-choice.tsx';
import { Logo } from './logo.tsx';
import { LeaveQuestion } from './navigation/unsaved-changes-dialog.tsx';
import { Bars } from './notifications/bars.tsx';
import { Toasts } from './notifications/toasts.tsx';
import styles from './shell.module.css';

const pages = [
  { href: '/platform/companies', name: 'platformCompanies' },
  { href: '/platform/users', name: 'platformUsers' },
  { href: '/platform/exports', name: 'platformExports' },
] as const;

/** The shell for the platform's operator, who has a token and no account. */
export function PlatformShell({ children }: { children: ReactNode }) {
  const texts = useFrameTexts();
  const [path] = useLocation();
  return (
    <div className={styles['platform']}>
      <a href="#content" className={styles['skip']}>
        {texts.skip}
      </a>
      <header className={styles['platformTop']}>
        <Logo />
        <nav aria-label={texts.main} className={styles['platformNav']}>
          {pages.map(({ href, name }) => (
            <Link
              key={href}
              href={href}
              className={styles['entry'] as string}
              {...(path === href ? { 'aria-current': 'page' as const } : {})}
            >
              {texts[name]}
            </Link>
          ))}
        </nav>
        <LanguageChoice />
        <ThemeChoice />
      </header>
      <main id="content" tabIndex={-1} className={styles['main']}>
        <Bars />
        {children}
      </main>
      <Toasts />
      <LeaveQuestion />
    </div>
  );
}
