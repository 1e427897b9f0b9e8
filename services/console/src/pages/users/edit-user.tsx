import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/forms/choice.tsx';
import { Form } from '../../components/forms/form.tsx';
import { ConfirmButton } from '../../components/overlays/confirm-button.tsx';
import { OneTimeSecret } from '../../components/overlays/one-time-secret.tsx';
import { Sheet } from '../../components/overlays/overlay.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { useSession } from '../../session/session.ts';
import { EraseUser } from './erase-user.tsx';
import { useTexts } from './texts.ts';
import { UserFields, userOf } from './user-fields.tsx';
import { nameOf, type User, useChangeUser, useErase, useInviteAgain, usePasswordLink } from './users.ts';

/** A user of the company in a sheet: details, a new password link, deactivation and erasure. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const texts = useTexts();
  const change = useChangeUser();
  const erase = useErase();
  const session = useSession();
  const [placeIds, setPlaceIds] = useState(user.place_ids);
  const submit = (values: FormData) =>
    change.mutate(
      { id: user.id, change: userOf(values, placeIds) },
      {
        onSuccess: (changed) => {
          onClose();
          announce(texts.changed(nameOf(changed)));
        },
      },
    );
  return (
    <Sheet title={nameOf(user)} isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <p>{user.email}</p>
      <Form submit={texts.save} sending={change} onSubmit={submit} onCancel={onClose}>
        <UserFields user={user} placeIds={placeIds} onPlaces={setPlaceIds} />
      </Form>
      {user.active && user.invited && <InviteAgain user={user} onClose={onClose} />}
      {user.active && <NewLink user={user} />}
      <Activity user={user} onClose={onClose} />
      {/* Users cannot erase themselves: somebody else must do it. */}
      {user.id !== session.user.id && <EraseUser user={user} erase={erase} variant="danger" onErased={onClose} />}
    </Sheet>
  );
}

/** Where no mail server is set, it shows the link instead. */
function InviteAgain({ user, onClose }: { user: User; onClose: () => void }) {
  const texts = useTexts();
  const invite = useInviteAgain();
  const onSuccess = ({ password_link }: { password_link: object | null }) => {
    if (password_link) return;
    onClose();
    announce(texts.mailed(nameOf(user), user.email));
  };
  return (
    <>
      <ErrorNote error={invite.error} />
      <Button isPending={invite.isPending} onPress={() => invite.mutate(user.id, { onSuccess })}>
        {texts.inviteAgain}
      </Button>
      <OneTimeSecret title={texts.link} secret={invite.data?.password_link?.url ?? null} onDone={() => invite.reset()}>
        {texts.linkHint}
      </OneTimeSecret>
    </>
  );
}

function NewLink({ user }: { user: User }) {
  const texts = useTexts();
  const link = usePasswordLink();
  return (
    <>
      <ErrorNote error={link.error} />
      <Button isPending={link.isPending} onPress={() => link.mutate(user.id)}>
        {texts.newLink}
      </Button>
      <OneTimeSecret title={texts.link} secret={link.data?.url ?? null} onDone={() => link.reset()}>
        {texts.linkHint}
      </OneTimeSecret>
    </>
  );
}

/** Only deactivating asks for confirmation: it ends API tokens for good. Activating does not. */
function Activity({ user, onClose }: { user: User; onClose: () => void }) {
  const texts = useTexts();
  const session = useSession();
  const change = useChangeUser();
  const [takesOver, setTakesOver] = useState(false);
  const done = (text: string) => ({
    onSuccess: () => {
      onClose();
      announce(text);
    },
  });
  if (user.id === session.user.id) return null;
  if (!user.active) {
    const activate = () =>
      change.mutate({ id: user.id, change: { active: true } }, done(texts.activated(nameOf(user))));
    return (
      <Button isPending={change.isPending} onPress={activate}>
        {texts.activate}
      </Button>
    );
  }
  const deactivate = () =>
    change.mutate(
      { id: user.id, change: { active: false, ...(takesOver && { take_over_api_tokens: true as const }) } },
      done(texts.deactivated(nameOf(user))),
    );
  return (
    <ConfirmButton
      title={texts.deactivateTitle(nameOf(user))}
      confirm={texts.deactivate}
      sending={change}
      onConfirm={deactivate}
    >
      <p>{texts.deactivateHint}</p>
      {(user.place_ids ?? []).length === 0 && (
        <Checkbox isSelected={takesOver} onChange={setTakesOver}>
          {texts.takeOver}
        </Checkbox>
      )}
    </ConfirmButton>
  );
}
