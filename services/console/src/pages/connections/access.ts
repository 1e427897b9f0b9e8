import type { SecondSchemas } from '@app/api-client';
import { textOf } from '../../components/forms/form.tsx';

const names = [
  'apiKey',
  'oauthClientId',
  'oauthClientSecret',
  'oauthTokenUrl',
  'organizationId',
  'webhookSecret',
] as const;

/** What a form gives of a connection's access; the API takes the parts of an OAuth2 client together. */
export type Access = { [Name in Exclude<(typeof names)[number], 'organizationId'>]?: string } & {
  organizationId?: string | null;
};

/** The filled fields that change something. `stored` knows all but the secrets, whose empty fields say that they stay. */
export function accessOf(values: FormData, stored?: SecondSchemas['InvoiceConnection']): Access {
  const given: Access = Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(values, name);
      return text ? [[name, text]] : [];
    }),
  );
  if (!stored) return given;
  const { oauthClientId: clientId, oauthTokenUrl: tokenUrl, organizationId = null, ...secrets } = given;
  const isSame = (clientId ?? null) === stored.oauthClientId && (tokenUrl ?? null) === stored.oauthTokenUrl;
  const isKept = secrets.oauthClientSecret === undefined && (isSame || clientId === undefined);
  return {
    ...secrets,
    ...(isKept ? {} : { ...(clientId && { oauthClientId: clientId }), ...(tokenUrl && { oauthTokenUrl: tokenUrl }) }),
    ...(!values.has('organizationId') || organizationId === stored.organizationId ? {} : { organizationId }),
  };
}
