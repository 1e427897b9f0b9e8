/** `unhealthy` from the moment the provider refuses the key or keeps failing, until a call succeeds. */
export type Health = { status: 'ok' | 'unhealthy'; reason: UnhealthyReason | null; since: Date | null };
export type UnhealthyReason = 'credentials_refused' | 'fetches_failing' | 'polls_failing';

/** A company's connection to an AP provider, without its secrets: those are write-only. */
export type Connection = {
  id: string;
  client: string;
  provider: string;
  active: boolean;
  hasCredentials: boolean;
  hasWebhookSecret: boolean;
  /** The provider calls back by a subscription that the connection made. */
  hasSubscription: boolean;
  oauthClientId: string | null;
  oauthTokenUrl: string | null;
  organizationId: string | null;
  lastPolledAt: Date | null;
  health: Health;
  createdAt: Date;
  updatedAt: Date;
};

/** An API key, or an OAuth2 client, whose id and secret come together: whoever gives another token address must know the secret. */
export type CredentialsInput = {
  apiKey?: string;
  oauthClientId?: string;
  oauthClientSecret?: string;
  oauthTokenUrl?: string;
};
export type ConnectionPatch = CredentialsInput & {
  webhookSecret?: string;
  organizationId?: string | null;
  active?: boolean;
};
export type NewConnection = ConnectionPatch & { provider: string; active: boolean };

/** `failedInvoices` stops counting here. */
export const maxCountedFailures = 1_000;

/** The connection as the API returns it, dates in ISO 8601. */
export function connectionResponse(
  { health, ...connection }: Connection,
  failedInvoices: number,
): Record<string, unknown> {
  return {
    ...connection,
    lastPolledAt: isoOrNull(connection.lastPolledAt),
    health: { ...health, since: isoOrNull(health.since) },
    failedInvoices,
    createdAt: connection.createdAt.toISOString(),
    updatedAt: connection.updatedAt.toISOString(),
  };
}

function isoOrNull(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

/** What calling the provider on behalf of a connection needs: sealed credentials and state, deleted connections included. */
export type ProviderAccount = {
  id: string;
  client: string;
  provider: string;
  /** `suspended`: active, and its company is closed. */
  state: 'active' | 'suspended' | 'inactive' | 'deleted';
  sealedCredentials: SealedCredentials | null;
  sealedWebhookSecret: string | null;
  organizationId: string | null;
  /** At the provider, with the key that signs its callbacks. */
  subscription: { id: string; sealedSigningKey: string | null } | null;
  subscriptionCheckedAt: Date | null;
  /** Incremented with each new key or client, so that the result of a call with an old one is not applied to a new one. */
  credentialsVersion: number;
  health: Health['status'];
  credentialsRefused: boolean;
  pausedUntil: Date | null;
  pollFailures: number;
  createdAt: Date;
  lastPolledAt: Date | null;
  /** The last change that the provider reported, by the provider's clock. */
  seenUntil: Date | null;
};

/** `tokenUrl`: null is the one of the provider. */
export type SealedCredentials =
  | { apiKey: string }
  | { clientId: string; clientSecret: string; tokenUrl: string | null };

/** Whether the provider may be called now: not during a pause that it asked for, nor while it rejects the key. */
export function isCallable(account: ProviderAccount | undefined, now: Date): account is ProviderAccount {
  return account?.state === 'active' && account.sealedCredentials !== null && (account.pausedUntil ?? now) <= now;
}

export const secretFields = ['apiKey', 'oauthClientSecret', 'webhookSecret', 'signingKey'] as const;
export type SecretField = (typeof secretFields)[number];

/** The associated data that binds a sealed secret to its connection and field. */
export function sealContext(connectionId: string, field: SecretField): string {
  return `invoice-connection:${connectionId}:${field}`;
}
