import { useMutation } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { SignedOutPage } from './signed-out-page.tsx';

/**
 * Asks for a link to set a new password. It shows the same whether the user exists or not, so that nobody can find
 * out who has an account.
 */
export function ForgotPasswordPage() {
  const texts = useFrameTexts();
  const ask = useMutation({
    meta: { isSignIn: true },
    mutationFn: (email: string) => call(ts.POST('/auth/password-reset', { body: { email } })),
  });
  return (
    <SignedOutPage title={texts.forgotPassword}>
      {ask.isSuccess ? (
        <EmptyState title={texts.linkSent} action={<ButtonLink href="/login">{texts.signIn}</ButtonLink>}>
          {texts.linkSentHint}
        </EmptyState>
      ) : (
        <Form
          submit={texts.sendLink}
          sending={ask}
          onSubmit={(values) => ask.mutate(textOf(values, 'email') ?? '')}
          cancelTo="/login"
        >
          <Field label={texts.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
        </Form>
      )}
    </SignedOutPage>
  );
}
