import { RadioGroup } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/form.tsx';
import { FieldRow } from '../../components/layout/sections.tsx';
import { FormSheet } from '../../components/overlays/form-sheet.tsx';
import { announce } from '../../session/actions.ts';
import { type Contractor, type ContractorInput, useSaveContractor } from './contractors.ts';
import { useTexts } from './texts.ts';

/** A new contractor, or one to change. */
export function ContractorSheet({ contractor, onClose }: { contractor: Contractor | null; onClose: () => void }) {
  const texts = useTexts();
  const save = useSaveContractor();
  const submit = (values: FormData) =>
    save.mutate(
      { id: contractor?._id, ...inputOf(values) },
      {
        onSuccess: ({ name }) => {
          onClose();
          announce(contractor ? texts.saved(name) : texts.added(name));
        },
      },
    );
  return (
    <FormSheet
      title={contractor?.name ?? texts.add}
      onClose={onClose}
      submit={contractor ? texts.save : texts.add}
      sending={save}
      onSubmit={submit}
    >
      <ContractorFields contractor={contractor} />
    </FormSheet>
  );
}

function ContractorFields({ contractor }: { contractor: Contractor | null }) {
  const texts = useTexts();
  return (
    <>
      <Field label={texts.name} name="name" isRequired autoFocus defaultValue={contractor?.name ?? ''} />
      <RadioGroup
        label={texts.type}
        name="type"
        look="row"
        defaultValue={contractor?.type ?? 'external'}
        options={(['external', 'internal'] as const).map((id) => ({ id, text: texts[id] }))}
      />
      <Field label={texts.siret} name="siret" inputMode="numeric" defaultValue={contractor?.siret ?? ''} />
      <FieldRow>
        <Field label={texts.email} name="email" type="email" defaultValue={contractor?.email ?? ''} />
        <Field label={texts.phone} name="phone" type="tel" defaultValue={contractor?.phone ?? ''} />
      </FieldRow>
      {!contractor?.company_id && <Field label={texts.companyId} name="company_id" isCode hint={texts.companyIdHint} />}
    </>
  );
}

function inputOf(values: FormData): ContractorInput {
  const companyId = textOf(values, 'company_id');
  return {
    name: textOf(values, 'name') ?? '',
    type: values.get('type') === 'internal' ? 'internal' : 'external',
    siret: textOf(values, 'siret') ?? null,
    email: textOf(values, 'email') ?? null,
    phone: textOf(values, 'phone') ?? null,
    ...(companyId && { company_id: companyId }),
  };
}
