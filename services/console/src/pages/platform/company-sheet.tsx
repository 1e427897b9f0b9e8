import { useState } from 'react';
import { RadioGroup } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { FormActions } from '../../components/forms/form-actions.tsx';
import { Sheet } from '../../components/overlays/overlay.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { announce } from '../../session/actions.ts';
import { type Company, useSaveCompany } from './platform.ts';
import { siretFault } from './siret.ts';
import { useTexts } from './texts.ts';

/** A new company, or one to change: its kind stays. */
export function CompanySheet({ company, onClose }: { company: Company | null; onClose: () => void }) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const save = useSaveCompany();
  const submit = (values: FormData) =>
    save.mutate(
      { id: company?.id, ...inputOf(values) },
      {
        onSuccess: ({ name }) => {
          onClose();
          announce(company ? texts.companySaved(name) : texts.companyAdded(name));
        },
      },
    );
  return (
    <Sheet title={company?.name ?? texts.addCompany} isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Form
        error={save.error}
        onSubmit={submit}
        actions={
          <FormActions onCancel={onClose} submit={company ? frame.save : texts.addCompany} isPending={save.isPending} />
        }
      >
        <Field label={texts.name} name="name" isRequired autoFocus defaultValue={company?.name ?? ''} />
        {company === null && (
          <RadioGroup
            label={texts.kind}
            name="kind"
            look="row"
            defaultValue="client"
            options={(['client', 'contractor'] as const).map((id) => ({ id, text: texts[id] }))}
          />
        )}
        <SiretField known={company?.siret ?? ''} />
      </Form>
    </Sheet>
  );
}

function inputOf(values: FormData) {
  return {
    name: textOf(values, 'name') ?? '',
    kind: values.get('kind') === 'contractor' ? ('contractor' as const) : ('client' as const),
    siret: textOf(values, 'siret') ?? null,
  };
}

/** Checked while it is typed; the API decides. */
function SiretField({ known }: { known: string }) {
  const texts = useTexts();
  const [text, setText] = useState(known);
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
