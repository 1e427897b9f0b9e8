import { Link } from 'react-aria-components';
import { useLocation, useSearchParams } from 'wouter';
import { useFrameTexts } from '../i18n/locale.tsx';
import { Entrance } from './entrance.tsx';
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
    <Entrance title={texts.signIn}>
      {params.get('password') === 'set' && <p role="status">{texts.passwordIsSet}</p>}
      <SignInForm onDone={() => navigate(afterSignIn(params.get('to')), { replace: true })} />
      <Link href="/forgot-password">{texts.forgotPassword}</Link>
    </Entrance>
  );
}
