import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { textOf } from '../../components/forms/form.tsx';
import { FormSheet } from '../../components/overlays/form-sheet.tsx';
import { OneTimeSecret } from '../../components/overlays/one-time-secret.tsx';
import { announce } from '../../session/actions.ts';
import { useTexts } from './texts.ts';
import { UserFields, userOf } from './user-fields.tsx';
import { nameOf, useInvite } from './users.ts';

export function InviteUser() {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const [placeIds, setPlaceIds] = useState<string[]>([]);
  const invite = useInvite();
  const submit = (values: FormData) =>
    invite.mutate(
      { ...userOf(values, placeIds), email: textOf(values, 'email') ?? '' },
      {
        onSuccess: (user) => {
          setOpen(false);
          setPlaceIds([]);
          announce(user.password_link ? texts.invitedNow(nameOf(user)) : texts.mailed(nameOf(user), user.email));
        },
      },
    );
  return (
    <>
      <Button variant="primary" onPress={() => setOpen(true)}>
        {texts.invite}
      </Button>
      <FormSheet
        title={texts.invite}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={texts.invite}
        sending={invite}
        onSubmit={submit}
      >
        <UserFields placeIds={placeIds} onPlaces={setPlaceIds} />
      </FormSheet>
      <OneTimeSecret title={texts.link} secret={invite.data?.password_link?.url ?? null} onDone={() => invite.reset()}>
        {texts.linkHint}
      </OneTimeSecret>
    </>
  );
}
