import { Field } from '../../components/field.tsx';
import { useTexts } from './texts.ts';

/** Always empty: what is stored is not given back. */
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
