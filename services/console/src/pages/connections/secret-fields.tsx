import { Field } from '../../components/forms/field.tsx';
import { useTexts } from './texts.ts';

/** The fields are empty at first: the API never returns stored secrets. */
export function SecretFields({ keyIsRequired }: { keyIsRequired: boolean }) {
  const texts = useTexts();
  return (
    <>
      <Field
        label={texts.apiKey}
        name="apiKey"
        type="password"
        autoComplete="off"
        isRequired={keyIsRequired}
        hint={keyIsRequired ? texts.apiKeyHint : texts.apiKeyKept}
      />
      <Field
        label={texts.webhookSecret}
        name="webhookSecret"
        type="password"
        autoComplete="off"
        hint={texts.webhookSecretHint}
      />
    </>
  );
}
