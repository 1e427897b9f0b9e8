import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { ApiError } from '../../api/errors.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form } from '../../components/forms/form.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { setPlatformToken, tryToken, usePlatformToken } from './platform.ts';
import { useTexts } from './texts.ts';

/** Asks for the platform's token first. */
export function WithToken({ children }: { children: ReactNode }) {
  const isMissing = usePlatformToken() === null;
  const wasMissing = useRef(isMissing);
  useEffect(() => {
    // The field and the button are gone: the focus goes to the page that they opened.
    if (wasMissing.current && !isMissing) document.getElementById('content')?.focus({ preventScroll: true });
    wasMissing.current = isMissing;
  }, [isMissing]);
  return isMissing ? <AskToken /> : children;
}

function AskToken() {
  const texts = useTexts();
  const check = useMutation({
    meta: { isSignIn: true },
    mutationFn: async (token: string) => {
      await tryToken(token);
      setPlatformToken(token);
    },
  });
  const isWrong = check.error instanceof ApiError && check.error.status === 401;
  return (
    <Page title={texts.tokenTitle} isNarrow>
      <Form
        submit={texts.open}
        sending={isWrong ? { ...check, error: null } : check}
        onSubmit={(values) => check.mutate(String(values.get('token')).trim())}
      >
        <Field
          label={texts.token}
          name="token"
          type="password"
          autoComplete="off"
          hint={texts.tokenHint}
          isRequired
          autoFocus
        />
        {isWrong && <ErrorNote error={new Error('wrong')} text={texts.wrong} />}
      </Form>
    </Page>
  );
}

export function ForgetToken() {
  const texts = useTexts();
  return (
    <Button variant="quiet" onPress={() => setPlatformToken(null)}>
      {texts.forget}
    </Button>
  );
}
