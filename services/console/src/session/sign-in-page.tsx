import { useLocation, useSearchParams } from 'wouter';
import { Page } from '../components/page.tsx';
import { useFrameTexts } from '../i18n/locale.tsx';
import { LanguageChoice } from '../shell/language-choice.tsx';
import { Logo } from '../shell/logo.tsx';
import { ThemeChoice } from '../shell/theme-choice.tsx';
import styles from './sign-in.module.css';
import { SignInForm } from './sign-in-form.tsx';

/** Afterwards the address that was asked for is shown: a path of the console, never another site. */
export function afterSignIn(to: string | null): string {
  return to?.startsWith('/') && !to.startsWith('//') && !to.includes('\\') ? to : '/';
}

export function SignInPage() {
  const texts = useFrameTexts();
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  return (
    <main className={styles['page']}>
      <div className={styles['card']}>
        <Logo />
        <Page title={texts.signIn}>
          <SignInForm onDone={() => navigate(afterSignIn(params.get('to')), { replace: true })} />
        </Page>
      </div>
      <div className={styles['foot']}>
        <LanguageChoice />
        <ThemeChoice />
      </div>
    </main>
  );
}
