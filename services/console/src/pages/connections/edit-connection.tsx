import { Button } from '../../components/button.tsx';
import { Copyable } from '../../components/data-display/values.tsx';
import { Form } from '../../components/forms/form.tsx';
import { Section } from '../../components/layout/sections.tsx';
import { ConfirmButton } from '../../components/overlays/confirm-button.tsx';
import { Sheet } from '../../components/overlays/overlay.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { accessOf } from './access.ts';
import { AccessFields } from './access-fields.tsx';
import {
  type Connection,
  useChangeConnection,
  useDeleteConnection,
  useProviderName,
  useProviders,
} from './connections.ts';
import { Failures } from './failures.tsx';
import { useTexts } from './texts.ts';

type Props = { connection: Connection; onClose: () => void };

export function EditConnection({ connection, onClose }: Props) {
  const texts = useTexts();
  const { id, provider } = connection;
  const name = useProviderName()(provider);
  const providers = useProviders();
  const change = useChangeConnection();
  const submit = (values: FormData) => {
    const access = accessOf(values, connection);
    if (Object.keys(access).length === 0) return onClose();
    change.mutate(
      { id, ...access },
      {
        onSuccess: () => {
          onClose();
          announce(texts.saved(name));
        },
      },
    );
  };
  return (
    <Sheet title={name} isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <div>
        {connection.hasSubscription && <p>{texts.subscribed}</p>}
        <p>{texts.inbound}</p>
        <Copyable text={inboundUrl(provider)} name={texts.inbound} />
        <p>{texts.clientId}</p>
        <Copyable text={connection.client} name={texts.clientId} />
      </div>
      <Form submit={texts.save} sending={change} onSubmit={submit} onCancel={onClose}>
        <Loaded query={providers} rows={2}>
          {(known) => <AccessFields provider={known.find(({ key }) => key === provider)} stored={connection} />}
        </Loaded>
      </Form>
      <Section title={texts.failures} hint={texts.failedHint}>
        <Failures connectionId={id} />
      </Section>
      <Section title={texts.actions}>
        <Pause connection={connection} />
        <Delete connection={connection} onClose={onClose} />
      </Section>
    </Sheet>
  );
}

function inboundUrl(provider: string): string {
  return `${location.origin}/webhooks/invoice-providers/${provider}`;
}

/** Pausing loses nothing, so it needs no confirmation and can be undone. */
function Pause({ connection: { id, provider, active } }: { connection: Connection }) {
  const texts = useTexts();
  const name = useProviderName()(provider);
  const change = useChangeConnection();
  const toggle = () =>
    change.mutate(
      { id, active: !active },
      {
        onSuccess: () =>
          announce(active ? texts.pausedNow(name) : texts.resumedNow(name), {
            undo: () => change.mutateAsync({ id, active }),
          }),
      },
    );
  return (
    <>
      <ErrorNote error={change.error} />
      <Button isPending={change.isPending} onPress={toggle}>
        {active ? texts.pause : texts.resume}
      </Button>
    </>
  );
}

function Delete({ connection: { id, provider }, onClose }: Props) {
  const texts = useTexts();
  const name = useProviderName()(provider);
  const remove = useDeleteConnection();
  const confirm = () =>
    remove.mutate(id, {
      onSuccess: () => {
        onClose();
        announce(texts.deleted(name));
      },
    });
  return (
    <ConfirmButton
      look={{ variant: 'danger' }}
      title={texts.deleteTitle(name)}
      confirm={texts.delete}
      sending={remove}
      onConfirm={confirm}
    >
      {texts.deleteHint}
    </ConfirmButton>
  );
}
