import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, second } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form } from '../../components/forms/form.tsx';
import { FieldRow, Section } from '../../components/layout/sections.tsx';
import { announce } from '../../session/actions.ts';
import { sessionsKey } from './sessions-key.ts';
import { useTexts } from './texts.ts';

export function ChangePassword() {
  const texts = useTexts();
  const client = useQueryClient();
  // A new key after each change empties the fields.
  const [changes, count] = useState(0);
  const change = useMutation({
    mutationFn: (body: { current_password: string; new_password: string }) =>
      call(second.POST('/auth/password', { body })),
    onSuccess: () => {
      count((before) => before + 1);
      announce(texts.passwordChanged);
      void client.invalidateQueries({ queryKey: sessionsKey });
    },
  });
  const submit = (values: FormData) =>
    change.mutate({
      current_password: String(values.get('current_password')),
      new_password: String(values.get('new_password')),
    });
  return (
    <Section title={texts.password} hint={texts.passwordHint}>
      <Form
        key={changes}
        error={change.error}
        onSubmit={submit}
        actions={
          <Button type="submit" isPending={change.isPending}>
            {texts.change}
          </Button>
        }
      >
        <FieldRow>
          <Field
            label={texts.current}
            name="current_password"
            type="password"
            isRequired
            autoComplete="current-password"
          />
          <Field label={texts.next} name="new_password" type="password" isRequired autoComplete="new-password" />
        </FieldRow>
      </Form>
    </Section>
  );
}
