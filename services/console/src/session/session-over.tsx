import { sessionIsOver } from '../api/query.ts';
import { Dialog } from '../components/overlays/overlay.tsx';
import { useFrameTexts } from '../i18n/locale.tsx';
import { useExternalValue } from '../settings/external-value.ts';
import { useSession } from './session.ts';
import { SignInForm } from './sign-in/sign-in-form.tsx';

/** Asks for the password in a dialog, so that the page below keeps what was entered. */
export function SessionOver() {
  const texts = useFrameTexts();
  const { user } = useSession();
  const isOver = useExternalValue(sessionIsOver);
  return (
    <Dialog title={texts.signInAgain} isOpen={isOver} onOpenChange={() => undefined} isKept>
      <p>{texts.signInAgainWhy}</p>
      <SignInForm email={user.email} onDone={() => undefined} />
    </Dialog>
  );
}
