/** An invoice whose fetch was given up, and that none has fetched since. */
export type FetchFailure = {
  externalId: string;
  /** Why, in words for people. */
  reason: string;
  failedAt: Date;
  /** It is wanted again: by the provider, by hand, or because the connection works again. */
  retrying: boolean;
};

/** Where a page of failures ends. */
export type FailurePosition = { failedAt: Date; externalId: string };

/** Its id in paths: the provider's id of the invoice, in characters that a path may hold. */
export function failureId(externalId: string): string {
  return Buffer.from(externalId).toString('base64url');
}

export function externalIdOf(id: string): string {
  return Buffer.from(id, 'base64url').toString('utf8');
}

export function failureView({ externalId, reason, failedAt, retrying }: FetchFailure): Record<string, unknown> {
  return { id: failureId(externalId), externalId, reason, failedAt: failedAt.toISOString(), retrying };
}

export function cursorOf({ failedAt, externalId }: FailurePosition): string {
  return Buffer.from(`${failedAt.getTime()}.${externalId}`).toString('base64url');
}

/** Null for a text that is no cursor. */
export function positionOf(cursor: string): FailurePosition | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, time, externalId] = /^(\d{1,15})\.(.+)$/s.exec(text) ?? [];
  return time === undefined || externalId === undefined ? null : { failedAt: new Date(Number(time)), externalId };
}
