import { Link } from 'react-aria-components';
import { useLocation, useSearchParams } from 'wouter';
import { ErrorNote } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { SignInForm } from '../../session/sign-in/sign-in-form.tsx';
import { ssoError } from '../../session/sign-in/sso-error.ts';
import { SsoSignIn } from '../../session/sign-in/sso-sign-in.tsx';
import { afterSignIn, returnPath } from './return-path.ts';
import { SignedOutPage } from './signed-out-page.tsx';

export function SignInPage() {
  const texts = useFrameTexts();
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  const asked = returnPath(params.get('to'));
  const fault = ssoError(asked.split('?')[1]);
  const to = fault ? afterSignIn : asked;
  return (
    <SignedOutPage title={texts.signIn}>
      {fault && <ErrorNote error={new Error(fault)} text={texts.ssoErrors[fault]} />}
      {params.get('password') === 'set' && <p role="status">{texts.passwordIsSet}</p>}
      <SignInForm onDone={() => navigate(to, { replace: true })} />
      <SsoSignIn path={to} />
      <Link href="/forgot-password">{texts.forgotPassword}</Link>
      <Link href="/platform">{texts.operator}</Link>
    </SignedOutPage>
  );
}
