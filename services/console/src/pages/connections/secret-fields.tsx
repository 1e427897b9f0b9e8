import { Field } from '../../components/forms/field.tsx';
import type { Connection } from './connections.ts';
import { useTexts } from './texts.ts';

/** The fields are empty at first: the API never returns stored secrets, only whether there are any. */
export function SecretFields({ stored }: { stored?: Connection }) {
  const texts = useTexts();
  return (
    <>
      <Field
        label={texts.apiKey}
        name="apiKey"
        type="password"
        autoComplete="off"
        isRequired={!stored}
        hint={stored ? texts.apiKeyKept : texts.apiKeyHint}
      />
      <Field
        label={texts.webhookSecret}
        name="webhookSecret"
        type="password"
        autoComplete="off"
        hint={stored?.hasWebhookSecret ? texts.webhookSecretKept : texts.webhookSecretHint}
      />
    </>
  );
}
