import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/forms/choice.tsx';
import { textOf } from '../../components/forms/form.tsx';
import { FormSheet } from '../../components/overlays/form-sheet.tsx';
import { Loaded } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { accessOf } from './access.ts';
import { AccessFields } from './access-fields.tsx';
import { useAddConnection, useProviderName, useProviders } from './connections.ts';
import { useTexts } from './texts.ts';

export function AddConnection() {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const add = useAddConnection();
  const nameOf = useProviderName();
  const submit = (values: FormData) => {
    add.mutate(
      { provider: textOf(values, 'provider') ?? '', ...accessOf(values) },
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
      <FormSheet
        title={texts.add}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={texts.add}
        sending={add}
        onSubmit={submit}
      >
        <ProviderAndAccess />
      </FormSheet>
    </>
  );
}

/** What gives access depends on the provider. */
function ProviderAndAccess() {
  const texts = useTexts();
  const [chosen, choose] = useState<string | null>(null);
  return (
    <Loaded query={useProviders()} rows={1}>
      {(providers) => (
        <>
          <Select
            label={texts.provider}
            name="provider"
            options={providers.map(({ key, name }) => ({ id: key, text: name }))}
            placeholder={texts.choose}
            onChange={(key) => choose(String(key))}
            isRequired
            autoFocus
          />
          <AccessFields key={chosen} provider={providers.find(({ key }) => key === chosen)} />
        </>
      )}
    </Loaded>
  );
}
