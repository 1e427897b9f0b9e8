import { Link } from 'react-aria-components';
import { useLocation, useSearchParams } from 'wouter';
import { ErrorNote } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { CompanySignIn } from './company-sign-in.tsx';
import { companySignInFault } from './company-sign-in-fault.ts';
import { Entrance } from './entrance.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Shows the first page of whoever signed in without asking for an address. */
export const afterSignIn = '/start';

/** The path to show after the sign-in: one of the console, never another site. */
function pathAskedFor(to: string | null): string {
  return to?.startsWith('/') && !to.startsWith('//') && !to.includes('\\') ? to : afterSignIn;
}

export function SignInPage() {
  const texts = useFrameTexts();
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  const asked = pathAskedFor(params.get('to'));
  const fault = companySignInFault(asked.split('?')[1]);
  const to = fault ? afterSignIn : asked;
  return (
    <Entrance title={texts.signIn}>
      {fault && <ErrorNote error={new Error(fault)} text={texts.companySignInFaults[fault]} />}
      {params.get('password') === 'set' && <p role="status">{texts.passwordIsSet}</p>}
      <SignInForm onDone={() => navigate(to, { replace: true })} />
      <CompanySignIn path={to} />
      <Link href="/forgot-password">{texts.forgotPassword}</Link>
    </Entrance>
  );
}
