import { useEffect, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Form } from '../../../components/forms/form.tsx';
import { hasUnsavedText } from '../../../components/forms/unsaved-text.ts';
import { announce } from '../../../session/actions.ts';
import { type Endpoint, useChangeEndpoint } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';
import { DeleteEndpoint } from './delete-endpoint-dialog.tsx';
import { EndpointFields } from './endpoint-fields.tsx';
import { endpointInput } from './endpoint-input.ts';
import { ReplaceEndpoint } from './replace-endpoint.tsx';

export function SettingsTab({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const change = useChangeEndpoint(endpoint.id);
  const shown = useUntilUnsaved(endpoint);
  const save = (values: FormData) => {
    const input = endpointInput(values);
    const onSuccess = ({ droppedHeaders = [] }: { droppedHeaders?: { name: string }[] }) => {
      const names = droppedHeaders.map(({ name }) => name).join(', ');
      announce(names === '' ? texts.saved(input.name) : texts.savedWithout(input.name, names));
    };
    change.mutate(input, { onSuccess });
  };
  return (
    <div className={styles['narrow']}>
      <Form key={shown.updatedAt} submit={texts.save} sending={change} onSubmit={save}>
        <EndpointFields endpoint={shown} />
      </Form>
      <div className={styles['danger']}>
        <ReplaceEndpoint endpoint={endpoint} />
        <Pause endpoint={endpoint} />
        <DeleteEndpoint endpoint={endpoint} to="/webhooks">
          {texts.remove}
        </DeleteEndpoint>
      </div>
    </div>
  );
}

/** The endpoint as its form shows it: what others change is not put over text that was entered meanwhile. */
function useUntilUnsaved(endpoint: Endpoint): Endpoint {
  const [shown, show] = useState(endpoint);
  useEffect(() => {
    if (!hasUnsavedText()) show(endpoint);
  }, [endpoint]);
  return shown;
}

function Pause({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const change = useChangeEndpoint(endpoint.id);
  if (!endpoint.active) return null;
  // Not a callback of the mutation: the button unmounts before it would run.
  const pause = () =>
    void change.mutateAsync({ active: false }).then(
      () => announce(texts.paused(endpoint.name), { undo: () => change.mutateAsync({ active: true }) }),
      () => undefined,
    );
  return (
    <Button isPending={change.isPending} onPress={pause}>
      {texts.pause}
    </Button>
  );
}
