import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { RadioGroup } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { FormActions } from '../../components/forms/form-actions.tsx';
import { Sheet } from '../../components/overlays/overlay.tsx';
import { announce } from '../../session/actions.ts';
import { useAddCompany } from './platform.ts';
import { siretFault } from './siret.ts';
import { useTexts } from './texts.ts';

export function AddCompany() {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const add = useAddCompany();
  const submit = (values: FormData) =>
    add.mutate(
      {
        name: textOf(values, 'name') ?? '',
        kind: values.get('kind') === 'contractor' ? 'contractor' : 'client',
        siret: textOf(values, 'siret') ?? null,
      },
      {
        onSuccess: ({ name }) => {
          setOpen(false);
          announce(texts.companyAdded(name));
        },
      },
    );
  return (
    <>
      <Button variant="primary" onPress={() => setOpen(true)}>
        {texts.addCompany}
      </Button>
      <Sheet title={texts.addCompany} isOpen={isOpen} onOpenChange={setOpen}>
        <Form
          error={add.error}
          onSubmit={submit}
          actions={<FormActions onCancel={() => setOpen(false)} submit={texts.addCompany} isPending={add.isPending} />}
        >
          <Field label={texts.name} name="name" isRequired autoFocus />
          <RadioGroup
            label={texts.kind}
            name="kind"
            look="row"
            defaultValue="client"
            options={(['client', 'contractor'] as const).map((id) => ({ id, text: texts[id] }))}
          />
          <SiretField />
        </Form>
      </Sheet>
    </>
  );
}

/** Checked while it is typed; the API decides. */
function SiretField() {
  const texts = useTexts();
  const [text, setText] = useState('');
  const fault = siretFault(text);
  const hints = { length: texts.siretLength(fault?.kind === 'length' ? fault.digits : 0), wrong: texts.siretWrong };
  return (
    <Field
      label={texts.siret}
      name="siret"
      inputMode="numeric"
      value={text}
      onChange={setText}
      hint={fault ? hints[fault.kind] : texts.siretHint}
    />
  );
}
