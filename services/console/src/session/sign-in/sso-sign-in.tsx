import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { useStartSso } from './sso-start.ts';
import { returnTo } from './sso-start-url.ts';

/** Single sign-on: the domain of the e-mail address tells the company. */
export function SsoSignIn({ path }: { path: string }) {
  const texts = useFrameTexts();
  const [isOpen, setOpen] = useState(false);
  const start = useStartSso();
  if (!isOpen) {
    return <Button onPress={() => setOpen(true)}>{texts.signInByCompany}</Button>;
  }
  const submit = (values: FormData) =>
    start.mutate({ email: textOf(values, 'email') ?? '', return_to: returnTo(path) });
  return (
    <Form submit={texts.continue} sending={start} onSubmit={submit} isMinor>
      <Field label={texts.companyEmail} name="email" type="email" isRequired autoFocus />
    </Form>
  );
}
