import { useState } from 'react';
import { RadioGroup } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/form.tsx';
import { FormSheet } from '../../components/overlays/form-sheet.tsx';
import { announce } from '../../session/actions.ts';
import { type Company, useSaveCompany } from './platform.ts';
import { useTexts } from './texts.ts';

type SiretFault = { kind: 'length'; digits: number } | { kind: 'wrong' };

/** La Poste has establishments whose digits add up to a multiple of 5 instead. */
const laPoste = '356000000';

/** What is wrong with a SIRET as far as it was typed; null if nothing is, or nothing was typed. */
function siretFault(text: string): SiretFault | null {
  const digits = text.replaceAll(/\s/g, '');
  if (digits === '') return null;
  if (!/^\d{14}$/.test(digits)) return { kind: 'length', digits: digits.replaceAll(/\D/g, '').length };
  const sum = [...digits].reduce((total, digit) => total + Number(digit), 0);
  if (digits.startsWith(laPoste) && sum % 5 === 0) return null;
  return luhn(digits) ? null : { kind: 'wrong' };
}

function luhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** A new company, or one to change: its kind stays. */
export function CompanySheet({ company, onClose }: { company: Company | null; onClose: () => void }) {
  const texts = useTexts();
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
    <FormSheet
      title={company?.name ?? texts.addCompany}
      onClose={onClose}
      submit={company ? texts.save : texts.addCompany}
      sending={save}
      onSubmit={submit}
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
    </FormSheet>
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
