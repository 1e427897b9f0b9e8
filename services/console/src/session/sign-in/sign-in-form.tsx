import { ApiError } from '../../api/errors.ts';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { useSignIn } from './sign-in.ts';

/** The sign-in form. With `email`, the address of the user whose session is over, that field cannot be changed. */
export function SignInForm({ email, onDone }: { email?: string; onDone: () => void }) {
  const texts = useFrameTexts();
  const signIn = useSignIn();
  const isWrong = signIn.error instanceof ApiError && signIn.error.status === 401;
  const submit = (values: FormData) =>
    signIn.mutate(
      { email: email ?? textOf(values, 'email') ?? '', password: String(values.get('password') ?? '') },
      { onSuccess: onDone },
    );
  return (
    <Form submit={texts.signIn} sending={isWrong ? { ...signIn, error: null } : signIn} onSubmit={submit}>
      <Field
        label={texts.email}
        name="email"
        type="email"
        isRequired
        autoComplete="username"
        autoFocus={!email}
        {...(email ? { value: email, isReadOnly: true } : {})}
      />
      <Field
        label={texts.password}
        name="password"
        type="password"
        isRequired
        autoComplete="current-password"
        autoFocus={Boolean(email)}
      />
      {isWrong && <ErrorNote error={new Error('wrong')} text={texts.wrongPassword} />}
    </Form>
  );
}
