import { useState } from 'react';
import { Select } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import type { Connection, Provider } from './connections.ts';
import { useTexts } from './texts.ts';

type Props = { provider: Provider | undefined; stored?: Connection };

/** Fields of secrets are empty at first: the API never returns stored ones, only whether there are any. */
export function AccessFields({ provider, stored }: Props) {
  const texts = useTexts();
  const takesOAuth = provider?.takesOAuth ?? false;
  const [chosen, choose] = useState(stored && stored.oauthClientId === null ? 'key' : 'oauth');
  const access = takesOAuth ? chosen : 'key';
  const isStored = stored !== undefined && (stored.oauthClientId === null ? 'key' : 'oauth') === access;
  return (
    <>
      {takesOAuth && (
        <Select
          label={texts.access}
          options={[
            { id: 'oauth', text: texts.accessOAuth },
            { id: 'key', text: texts.apiKey },
          ]}
          value={access}
          onChange={(key) => choose(String(key))}
        />
      )}
      {access === 'oauth' ? (
        <ClientFields hasTokenUrl={provider?.hasTokenUrl ?? false} stored={stored} isStored={isStored} />
      ) : (
        <Field
          label={texts.apiKey}
          name="apiKey"
          type="password"
          autoComplete="off"
          isRequired={!isStored}
          hint={isStored ? texts.apiKeyKept : texts.apiKeyHint}
        />
      )}
      {takesOAuth && (
        <Field
          label={texts.organization}
          name="organizationId"
          defaultValue={stored?.organizationId ?? ''}
          hint={texts.organizationHint}
        />
      )}
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

type ClientProps = { hasTokenUrl: boolean; stored: Connection | undefined; isStored: boolean };

function ClientFields({ hasTokenUrl, stored, isStored }: ClientProps) {
  const texts = useTexts();
  return (
    <>
      <Field
        label={texts.oauthClientId}
        name="oauthClientId"
        autoComplete="off"
        isRequired
        defaultValue={stored?.oauthClientId ?? ''}
      />
      <Field
        label={texts.oauthClientSecret}
        name="oauthClientSecret"
        type="password"
        autoComplete="off"
        isRequired={!isStored}
        hint={isStored ? texts.apiKeyKept : texts.apiKeyHint}
      />
      <Field
        label={texts.oauthTokenUrl}
        name="oauthTokenUrl"
        isRequired={!hasTokenUrl}
        defaultValue={stored?.oauthTokenUrl ?? ''}
        placeholder="https://"
        hint={hasTokenUrl ? texts.oauthTokenUrlKnown : texts.oauthTokenUrlHint}
      />
    </>
  );
}
