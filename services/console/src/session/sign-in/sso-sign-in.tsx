import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { ssoStartUrl } from './sso-start-url.ts';

/**
 * Single sign-on: the e-mail address tells the company. It navigates by script: the page's policy blocks forms that
 * end at another site.
 */
export function SsoSignIn({ path }: { path: string }) {
  const texts = useFrameTexts();
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return <Button onPress={() => setOpen(true)}>{texts.signInByCompany}</Button>;
  }
  const submit = (values: FormData) => {
    const email = textOf(values, 'company_email');
    if (email) location.assign(ssoStartUrl({ email }, path));
  };
  const actions = <Button type="submit">{texts.continue}</Button>;
  return (
    <Form error={null} onSubmit={submit} actions={actions}>
      <Field label={texts.companyEmail} name="company_email" type="email" isRequired autoFocus />
    </Form>
  );
}
