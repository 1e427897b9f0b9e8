/** An invoice whose fetch was given up and has not succeeded since. */
export type FetchFailure = {
  externalId: string;
  /** A sentence for people. */
  reason: string;
  failedAt: Date;
  /** It is due again: requested by the provider, by a person, or because the connection works. */
  retrying: boolean;
};

/** The id in paths: the provider's id of the invoice in base64url. */
function failureId(externalId: string): string {
  return Buffer.from(externalId).toString('base64url');
}

export function externalIdOf(failureId: string): string {
  return Buffer.from(failureId, 'base64url').toString('utf8');
}

export function failureResponse({ externalId, reason, failedAt, retrying }: FetchFailure): Record<string, unknown> {
  return { id: failureId(externalId), externalId, reason, failedAt: failedAt.toISOString(), retrying };
}
