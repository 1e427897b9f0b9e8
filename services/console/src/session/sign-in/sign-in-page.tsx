import { Link } from 'react-aria-components';
import { useLocation, useSearchParams } from 'wouter';
import { ErrorNote } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignedOutPage } from './signed-out-page.tsx';
import { ssoError } from './sso-error.ts';
import { SsoSignIn } from './sso-sign-in.tsx';

/** The path to show after the sign-in: one of the console, never another site. */
function afterSignIn(to: string | null): string {
  return to?.startsWith('/') && !to.startsWith('//') && !to.includes('\\') ? to : '/';
}

export function SignInPage() {
  const texts = useFrameTexts();
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  const to = afterSignIn(params.get('to'));
  const fault = ssoError(to.split('?')[1]);
  return (
    <SignedOutPage title={texts.signIn}>
      {fault && <ErrorNote error={new Error(fault)} text={texts.ssoErrors[fault]} />}
      {params.get('password') === 'set' && <p role="status">{texts.passwordIsSet}</p>}
      <SignInForm onDone={() => navigate(fault ? '/' : to, { replace: true })} />
      <SsoSignIn path={fault ? '/' : to} />
      <Link href="/forgot-password">{texts.forgotPassword}</Link>
    </SignedOutPage>
  );
}
