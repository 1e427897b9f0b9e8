import { useMutation } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import { Copyable } from '../../components/data-display/values.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { DescriptionList, FieldRow, Section } from '../../components/layout/sections.tsx';
import { announce } from '../../session/actions.ts';
import { sessionKey, useSession } from '../../session/session.ts';
import { useTexts } from './texts.ts';

type Change = { first_name: string; last_name: string; phone: string | null };

export function Profile() {
  const texts = useTexts();
  const { user, company, permissions } = useSession();
  const save = useMutation({
    mutationFn: (body: Change) => call(ts.PATCH('/auth/profile', { body })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionKey });
      announce(texts.profileSaved);
    },
  });
  const submit = (values: FormData) =>
    save.mutate({
      first_name: textOf(values, 'first_name') ?? '',
      last_name: textOf(values, 'last_name') ?? '',
      phone: textOf(values, 'phone') ?? null,
    });
  return (
    <Section title={texts.profile}>
      <DescriptionList
        entries={[
          [texts.email, user.email],
          [texts.company, company.name],
          [texts.companyId, <Copyable key="company" text={company.id} name={texts.companyId} />],
          [
            texts.permissions,
            permissions.length > 0 ? permissions.map((one) => texts.permissionNames[one]).join(', ') : texts.nothing,
          ],
        ]}
      />
      <Form submit={texts.save} sending={save} onSubmit={submit} isMinor>
        <FieldRow>
          <Field label={texts.firstName} name="first_name" isRequired defaultValue={user.first_name} />
          <Field label={texts.lastName} name="last_name" isRequired defaultValue={user.last_name} />
          <Field label={texts.phone} name="phone" type="tel" defaultValue={user.phone ?? ''} />
        </FieldRow>
      </Form>
    </Section>
  );
}
