import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, ts } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import { CheckboxGroup } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form } from '../../components/forms/form.tsx';
import { FieldRow, Section } from '../../components/layout/sections.tsx';
import { announce } from '../../session/actions.ts';
import { may } from '../../session/permissions.ts';
import { useSession } from '../../session/session.ts';
import { agendaFeedKey } from './agenda-feed.tsx';
import { sessionsKey } from './sessions-key.ts';
import { useTexts } from './texts.ts';

export function ChangePassword() {
  const texts = useTexts();
  const session = useSession();
  // A new key after each change empties the fields.
  const [changes, count] = useState(0);
  const change = useMutation({
    mutationFn: (body: { current_password: string; new_password: string; end_api_tokens: boolean }) =>
      call(ts.POST('/auth/password', { body })),
    onSuccess: () => {
      count((before) => before + 1);
      announce(texts.passwordChanged);
      for (const queryKey of [sessionsKey, agendaFeedKey]) void queryClient.invalidateQueries({ queryKey });
    },
  });
  const submit = (values: FormData) =>
    change.mutate({
      current_password: String(values.get('current_password')),
      new_password: String(values.get('new_password')),
      end_api_tokens: values.has('end_api_tokens'),
    });
  return (
    <Section title={texts.password} hint={texts.passwordHint}>
      <Form key={changes} submit={texts.change} sending={change} onSubmit={submit} isMinor>
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
        {(may(session, 'api_webhooks') || may(session, 'tickets')) && (
          <CheckboxGroup label={texts.access} name="end_api_tokens" options={[{ id: 'all', text: texts.endAccess }]} />
        )}
      </Form>
    </Section>
  );
}
