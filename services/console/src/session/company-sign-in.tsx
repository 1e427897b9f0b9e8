import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import { Form, textOf } from '../components/form.tsx';
import { useFrameTexts } from '../i18n/locale.tsx';

/** Where the browser goes for a sign-in at the provider of the company; `path` of the console is shown afterwards. */
export function companySignInAddress(email: string, path: string): string {
  const query = new URLSearchParams({ email, return_to: `/console${path === '/' ? '' : path}` });
  return `/auth/sso/start?${query}`;
}

/** Single sign-on: the company follows from the e-mail address. No form of the page: its policy stops one that is sent to another site. */
export function CompanySignIn({ path }: { path: string }) {
  const texts = useFrameTexts();
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return (
      <Button variant="quiet" onPress={() => setOpen(true)}>
        {texts.signInByCompany}
      </Button>
    );
  }
  const submit = (values: FormData) => {
    const email = textOf(values, 'company_email');
    if (email) location.assign(companySignInAddress(email, path));
  };
  const actions = <Button type="submit">{texts.continue}</Button>;
  return (
    <Form error={null} onSubmit={submit} actions={actions}>
      <Field label={texts.companyEmail} name="company_email" type="email" isRequired autoFocus />
    </Form>
  );
}
