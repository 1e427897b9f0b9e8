/** How a connection fares: `unhealthy` from the moment its provider refused the key, or kept failing, until a call succeeds. */
export type Health = { status: 'ok' | 'unhealthy'; reason: UnhealthyReason | null; since: Date | null };
export type UnhealthyReason = 'credentials_refused' | 'fetches_failing' | 'polls_failing';

/** A company's connection to an AP provider; its secrets are not part of it (spec section 2.5: write-only). */
export type Connection = {
  id: string;
  client: string;
  provider: string;
  active: boolean;
  hasCredentials: boolean;
  hasWebhookSecret: boolean;
  lastPolledAt: Date | null;
  health: Health;
  createdAt: Date;
  updatedAt: Date;
};

export type NewConnection = { provider: string; apiKey: string; webhookSecret?: string; active: boolean };
export type ConnectionPatch = { apiKey?: string; webhookSecret?: string; active?: boolean };

/** A connection as the company itself sees it, dates as text (spec section 2.5; `health` and `failedInvoices` are ours). */
export function connectionView({ health, ...connection }: Connection, failedInvoices: number): Record<string, unknown> {
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

/**
 * A connection as the work behind it needs it. `credentialsVersion` counts the keys that it was given, so that what a call
 * with an old key found out is not held against a new one.
 */
export type Account = {
  id: string;
  client: string;
  provider: string;
  state: 'active' | 'inactive' | 'deleted';
  sealedApiKey: string | null;
  sealedWebhookSecret: string | null;
  credentialsVersion: number;
  health: Health['status'];
  refused: boolean;
  heldUntil: Date | null;
  createdAt: Date;
  lastPolledAt: Date | null;
  /** The last change that its provider told of. */
  seenUntil: Date | null;
};

/** Whether its provider may be called now: not while it asked for a pause, nor while the key is refused. */
export function mayCall(account: Account | undefined, now: Date): account is Account {
  return account?.state === 'active' && account.sealedApiKey !== null && (account.heldUntil ?? now) <= now;
}

/** What binds a sealed secret to its connection and field. */
export function sealContext(connectionId: string, field: 'apiKey' | 'webhookSecret'): string {
  return `invoice-connection:${connectionId}:${field}`;
}
