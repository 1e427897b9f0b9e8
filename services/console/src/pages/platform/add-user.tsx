import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { CheckboxGroup, ComboBox } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/form.tsx';
import { FieldRow } from '../../components/layout/sections.tsx';
import { FormSheet } from '../../components/overlays/form-sheet.tsx';
import { announce } from '../../session/actions.ts';
import type { Permission } from '../../session/permissions.ts';
import { type Company, useAddUser } from './platform.ts';
import { useTexts } from './texts.ts';

type Props = { companies: Company[]; companyId: string | undefined };

export function AddUser({ companies, companyId }: Props) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const add = useAddUser();
  const submit = (values: FormData) =>
    add.mutate(userOf(values), {
      onSuccess: ({ first_name, last_name }) => {
        setOpen(false);
        announce(texts.userAdded(`${first_name} ${last_name}`));
      },
    });
  return (
    <>
      <Button variant="primary" onPress={() => setOpen(true)}>
        {texts.addUser}
      </Button>
      <FormSheet
        title={texts.addUser}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={texts.addUser}
        sending={add}
        onSubmit={submit}
      >
        <UserFields companies={companies} companyId={companyId} />
      </FormSheet>
    </>
  );
}

function UserFields({ companies, companyId }: Props) {
  const texts = useTexts();
  return (
    <>
      <ComboBox
        label={texts.company}
        name="company_id"
        formValue="key"
        isRequired
        options={companies.map(({ id, name }) => ({ id, text: name }))}
        {...(companyId && { defaultSelectedKey: companyId })}
      />
      <FieldRow>
        <Field label={texts.firstName} name="first_name" isRequired />
        <Field label={texts.lastName} name="last_name" isRequired />
      </FieldRow>
      <Field label={texts.email} name="email" type="email" isRequired />
      <Field label={texts.phone} name="phone" type="tel" />
      <Field
        label={texts.password}
        name="password"
        type="password"
        autoComplete="new-password"
        hint={texts.passwordHint}
        isRequired
      />
      <CheckboxGroup
        label={texts.permissions}
        name="permissions"
        defaultValue={['admin']}
        options={Object.entries(texts.permissionNames).map(([id, text]) => ({ id, text }))}
      />
    </>
  );
}

function userOf(values: FormData) {
  return {
    company_id: textOf(values, 'company_id') ?? '',
    first_name: textOf(values, 'first_name') ?? '',
    last_name: textOf(values, 'last_name') ?? '',
    email: textOf(values, 'email') ?? '',
    phone: textOf(values, 'phone') ?? null,
    password: String(values.get('password')),
    permissions: values.getAll('permissions') as Permission[],
  };
}
