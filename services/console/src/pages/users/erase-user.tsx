import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { AlertDialog } from '../../components/overlays/overlay.tsx';
import { announce } from '../../session/actions.ts';
import { useTexts } from './texts.ts';
import { nameOf, type User } from './users.ts';

type Props = {
  user: User;
  erase: UseMutationResult<User, Error, string>;
  variant: 'danger' | 'quiet';
  onErased?: () => void;
};

/**
 * A button that asks for the person's e-mail address first: an erased person cannot be restored.
 */
export function EraseUser({ user, erase, variant, onErased }: Props) {
  const texts = useTexts();
  const [isAsking, setAsking] = useState(false);
  const ask = () => {
    erase.reset();
    setAsking(true);
  };
  const done = () => {
    setAsking(false);
    onErased?.();
    // Without the name of the person, which would stay in "My actions".
    announce(texts.erasureBegun);
  };
  // Not a callback of `mutate`: the refreshed list may have unmounted this component before it
  // would run.
  const confirm = () => void erase.mutateAsync(user.id).then(done, () => undefined);
  return (
    <>
      <Button variant={variant} aria-label={texts.eraseOf(nameOf(user))} onPress={ask}>
        {texts.erase}
      </Button>
      <AlertDialog
        title={texts.eraseTitle(nameOf(user))}
        confirm={texts.erase}
        typed={{ label: texts.eraseTyped, text: user.email }}
        isOpen={isAsking}
        sending={erase}
        onConfirm={confirm}
        onOpenChange={setAsking}
      >
        <p>{texts.eraseForGood}</p>
        <ul>
          <li>{texts.eraseLost}</li>
          <li>{texts.eraseAccess}</li>
          <li>{texts.eraseKept}</li>
          <li>{texts.eraseElsewhere}</li>
        </ul>
      </AlertDialog>
    </>
  );
}
