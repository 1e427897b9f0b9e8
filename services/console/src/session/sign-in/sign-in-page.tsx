import { Link } from 'react-aria-components';
import { useLocation, useSearchParams } from 'wouter';
import { ErrorNote } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { CompanySignIn } from './company-sign-in.tsx';
import { companySignInFault } from './company-sign-in-fault.ts';
import { Entrance } from './entrance.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** The path to show after the sign-in: one of the console, never another site. */
function afterSignIn(to: string | null): string {
  return to?.startsWith('/') && !to.startsWith('//') && !to.includes('\\') ? to : '/';
}

export function SignInPage() {
  const texts = useFrameTexts();
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  const to = afterSignIn(params.get('to'));
  const fault = companySignInFault(to.split('?')[1]);
  return (
    <Entrance title={texts.signIn}>
      {fault && <ErrorNote error={new Error(fault)} text={texts.companySignInFaults[fault]} />}
      {params.get('password') === 'set' && <p role="status">{texts.passwordIsSet}</p>}
      <SignInForm onDone={() => navigate(fault ? '/' : to, { replace: true })} />
      <CompanySignIn path={fault ? '/' : to} />
      <Link href="/forgot-password">{texts.forgotPassword}</Link>
    </Entrance>
  );
}
