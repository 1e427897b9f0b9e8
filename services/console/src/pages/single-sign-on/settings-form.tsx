import { useMemo } from 'react';
import { CheckboxGroup, RadioGroup } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import {
  atItsFields,
  domainsIn,
  type Given,
  type Granted,
  type SingleSignOn,
  useSetSingleSignOn,
} from './single-sign-on.ts';
import { useTexts } from './texts.ts';

type Props = { found: SingleSignOn | null };

export function SettingsForm({ found, onSaved }: Props & { onSaved: () => void }) {
  const texts = useTexts();
  const set = useSetSingleSignOn();
  const submit = (values: FormData) => set.mutate(givenIn(values), { onSuccess: onSaved });
  const domains = set.variables?.allowed_domains;
  // The same object as long as the error is the same: by it the form knows which fields were
  // corrected since.
  const error = useMemo(() => atItsFields(set.error, domains ?? []), [set.error, domains]);
  return (
    <Form submit={found ? texts.save : texts.set} sending={{ ...set, error }} onSubmit={submit}>
      <ProviderFields found={found} />
      <UserFields found={found} />
    </Form>
  );
}

function ProviderFields({ found }: Props) {
  const texts = useTexts();
  return (
    <>
      <Field
        label={texts.issuer}
        name="issuer"
        type="url"
        placeholder="https://login.example.com"
        hint={texts.issuerHint}
        maxLength={500}
        isRequired
        defaultValue={found?.issuer ?? ''}
      />
      <Field
        label={texts.clientId}
        name="client_id"
        isCode
        autoComplete="off"
        maxLength={500}
        isRequired
        defaultValue={found?.client_id ?? ''}
      />
      <Field
        label={texts.clientSecret}
        name="client_secret"
        type="password"
        autoComplete="new-password"
        maxLength={1000}
        hint={found ? texts.secretStored : texts.secretHint}
        isRequired={!found}
      />
    </>
  );
}

function UserFields({ found }: Props) {
  const texts = useTexts();
  // Nobody becomes an administrator by a first sign-in.
  const { admin: _, ...granted } = useFrameTexts().permissionNames;
  return (
    <>
      <Field
        label={texts.domains}
        name="allowed_domains"
        hint={texts.domainsHint}
        placeholder="example.com"
        isArea
        isRequired
        defaultValue={found?.allowed_domains.join('\n') ?? ''}
      />
      <CheckboxGroup
        label={texts.permissions}
        name="default_permissions"
        hint={texts.permissionsHint}
        defaultValue={found?.default_permissions ?? []}
        options={Object.entries(granted).map(([id, text]) => ({ id, text }))}
      />
      <RadioGroup
        label={texts.passwordLogin}
        name="password_login"
        defaultValue={found?.password_login === false ? 'admins' : 'all'}
        options={[
          { id: 'all', text: texts.passwordLoginOn },
          { id: 'admins', text: texts.passwordLoginOff, hint: texts.passwordLoginOffHint },
        ]}
      />
    </>
  );
}

/** Missing fields are not checked here: the API names them. */
function givenIn(values: FormData): Given {
  const secret = textOf(values, 'client_secret');
  return {
    issuer: textOf(values, 'issuer') ?? '',
    client_id: textOf(values, 'client_id') ?? '',
    ...(secret !== undefined && { client_secret: secret }),
    allowed_domains: domainsIn(textOf(values, 'allowed_domains') ?? ''),
    default_permissions: values.getAll('default_permissions') as Granted[],
    password_login: values.get('password_login') !== 'admins',
  };
}
