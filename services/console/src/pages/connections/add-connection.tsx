import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/forms/choice.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { FormActions } from '../../components/forms/form-actions.tsx';
import { Sheet } from '../../components/overlays/overlay.tsx';
import { Loaded } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { useAddConnection, useProviderName, useProviders } from './connections.ts';
import { SecretFields } from './secret-fields.tsx';
import { useTexts } from './texts.ts';

export function AddConnection() {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const add = useAddConnection();
  const nameOf = useProviderName();
  const submit = (values: FormData) => {
    const webhookSecret = textOf(values, 'webhookSecret');
    add.mutate(
      {
        provider: textOf(values, 'provider') ?? '',
        apiKey: textOf(values, 'apiKey') ?? '',
        ...(webhookSecret && { webhookSecret }),
      },
      {
        onSuccess: ({ provider }) => {
          setOpen(false);
          announce(texts.added(nameOf(provider)));
        },
      },
    );
  };
  return (
    <>
      <Button variant="primary" onPress={() => setOpen(true)}>
        {texts.add}
      </Button>
      <Sheet title={texts.add} isOpen={isOpen} onOpenChange={setOpen}>
        <Form
          error={add.error}
          onSubmit={submit}
          actions={<FormActions onCancel={() => setOpen(false)} submit={texts.add} isPending={add.isPending} />}
        >
          <ProviderField />
          <SecretFields />
        </Form>
      </Sheet>
    </>
  );
}

function ProviderField() {
  const texts = useTexts();
  return (
    <Loaded query={useProviders()} rows={1}>
      {(providers) => (
        <Select
          label={texts.provider}
          name="provider"
          options={providers.map(({ key, name }) => ({ id: key, text: name }))}
          placeholder={texts.choose}
          isRequired
          autoFocus
        />
      )}
    </Loaded>
  );
}
