import { useEffect } from 'react';
import { call, ts } from '../api/client.ts';
import { sessionExpired } from '../api/query.ts';
import { ButtonLink } from '../components/button.tsx';
import { Dialog } from '../components/overlays/overlay.tsx';
import { useFrameTexts } from '../i18n/locale.tsx';
import { useExternalValue } from '../settings/external-value.ts';
import { useSession } from './session.ts';
import { resume } from './sign-in/sign-in.ts';
import { SignInForm } from './sign-in/sign-in-form.tsx';
import { ssoStartUrl } from './sign-in/sso-start-url.ts';

/**
 * Asks for the password in a dialog, or for a sign-in in another tab: the page below stays, with
 * what was entered.
 */
export function SessionExpired() {
  const texts = useFrameTexts();
  const { user, company } = useSession();
  const isOver = useExternalValue(sessionExpired);
  useSignInElsewhere(isOver, user.id);
  return (
    <Dialog title={texts.signInAgain} isOpen={isOver} onOpenChange={() => undefined} isKept>
      <p>{texts.signInAgainWhy}</p>
      <SignInForm email={user.email} onDone={() => undefined} />
      <ButtonLink
        variant="quiet"
        href={ssoStartUrl(company.id, '/')}
        target="_blank"
        aria-describedby="sign-in-elsewhere"
      >
        {texts.signInByCompany}
      </ButtonLink>
      <p id="sign-in-elsewhere">{texts.signInElsewhere}</p>
    </Dialog>
  );
}

/**
 * When the user comes back to this tab, they may have signed in in another one. If that was another
 * user, the dialog stays.
 */
function useSignInElsewhere(isOver: boolean, userId: string): void {
  useEffect(() => {
    if (!isOver) return;
    const look = async () => {
      if (document.visibilityState !== 'visible') return;
      const session = await call(ts.GET('/auth/session')).catch(() => null);
      if (session?.user.id === userId) resume(session);
    };
    const cameBack = () => void look();
    window.addEventListener('focus', cameBack);
    document.addEventListener('visibilitychange', cameBack);
    return () => {
      window.removeEventListener('focus', cameBack);
      document.removeEventListener('visibilitychange', cameBack);
    };
  }, [isOver, userId]);
}
