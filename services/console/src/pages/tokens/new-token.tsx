import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { CheckboxGroup } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/form.tsx';
import { FormSheet } from '../../components/overlays/form-sheet.tsx';
import { OneTimeSecret } from '../../components/overlays/one-time-secret.tsx';
import { AlertDialog } from '../../components/overlays/overlay.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { endOfDay } from '../../routing/days.ts';
import { announce } from '../../session/actions.ts';
import { useTexts } from './texts.ts';
import { type Scope, type TokenInput, useCreateToken } from './tokens.ts';

/** A button, the form of a new token, and the dialog that shows its secret. */
export function NewToken() {
  const texts = useTexts();
  const { timeZone } = useLocale();
  const [isOpen, setOpen] = useState(false);
  const create = useCreateToken();
  const [unlimited, ask] = useState<TokenInput | null>(null);
  const done = ({ name }: { name: string }) => {
    setOpen(false);
    announce(texts.tokenCreated(name));
  };
  const make = (input: TokenInput) => {
    ask(null);
    create.mutate(input, { onSuccess: done });
  };
  const submit = (values: FormData) => {
    const input = inputOf(values, timeZone);
    if (input.scopes) make(input);
    else ask(input);
  };
  return (
    <>
      <Button variant="primary" onPress={() => setOpen(true)}>
        {texts.create}
      </Button>
      <FormSheet
        title={texts.create}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={texts.create}
        sending={create}
        onSubmit={submit}
      >
        <Field label={texts.name} name="name" hint={texts.nameHint} isRequired autoFocus maxLength={100} />
        <CheckboxGroup
          label={texts.scopes}
          name="scopes"
          hint={texts.scopesHint}
          options={Object.entries(texts.scopeNames).map(([id, text]) => ({ id, text }))}
        />
        <Field label={texts.expires} name="expires_at" type="date" hint={texts.expiresHint} />
      </FormSheet>
      <AlertDialog
        title={texts.unlimitedTitle(unlimited?.name ?? '')}
        confirm={texts.createUnlimited}
        isOpen={unlimited !== null}
        onConfirm={() => unlimited && make(unlimited)}
        onOpenChange={(isAsking) => !isAsking && ask(null)}
      >
        {texts.unlimitedText}
      </AlertDialog>
      <OneTimeSecret title={texts.token} secret={create.data?.token ?? null} onDone={() => create.reset()}>
        {texts.tokenHint}
      </OneTimeSecret>
    </>
  );
}

function inputOf(values: FormData, timeZone: string): TokenInput {
  const scopes = values.getAll('scopes') as Scope[];
  const day = textOf(values, 'expires_at');
  return {
    name: textOf(values, 'name') ?? '',
    ...(scopes.length > 0 && { scopes }),
    // The token works all day.
    ...(day && { expires_at: endOfDay(day, timeZone) }),
  };
}
