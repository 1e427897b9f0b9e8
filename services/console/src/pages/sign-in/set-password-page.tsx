import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { call, ts } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form } from '../../components/forms/form.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { SignedOutPage } from './signed-out-page.tsx';

/**
 * The page of a link from an invitation or a forgotten password. The token is after the `#`, so that no server or log
 * gets it, and is removed from the address at once.
 */
export function SetPasswordPage() {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    // A newer link, pasted into the tab of one that has ended, loads no page.
    const takeNewer = () => location.hash && setToken(takeToken());
    window.addEventListener('hashchange', takeNewer);
    return () => window.removeEventListener('hashchange', takeNewer);
  }, []);
  return <SetPassword key={token} token={token} />;
}

function SetPassword({ token }: { token: string }) {
  const texts = useFrameTexts();
  const [, navigate] = useLocation();
  const set = useMutation({
    meta: { isSignIn: true },
    mutationFn: (password: string) => call(ts.POST('/auth/password-link', { body: { token, password } })),
    onSuccess: () => navigate('/login?password=set', { replace: true }),
  });
  const isOver = token === '' || (set.error instanceof ApiError && [401, 404, 410].includes(set.error.status));
  return (
    <SignedOutPage title={texts.setPassword}>
      {isOver ? (
        <EmptyState
          title={texts.linkIsOver}
          action={<ButtonLink href="/forgot-password">{texts.forgotPassword}</ButtonLink>}
        >
          {texts.linkIsOverHint}
        </EmptyState>
      ) : (
        <Form
          submit={texts.setPassword}
          sending={set}
          onSubmit={(values) => set.mutate(String(values.get('password')))}
        >
          <Field
            label={texts.newPassword}
            name="password"
            type="password"
            autoComplete="new-password"
            hint={texts.newPasswordHint}
            isRequired
            autoFocus
          />
        </Form>
      )}
    </SignedOutPage>
  );
}

function takeToken(): string {
  const token = location.hash.slice(1);
  history.replaceState(history.state, '', location.pathname);
  return token;
}
