import { AppError, isId, parseJson } from '@app/kernel';

/** A provider's webhook whose signature is not verified yet: `body` may be used to find the client, for nothing else. */
type ProviderWebhook = { clientId: string; body: object };

/**
 * Reads the client that a webhook is for, whose connection has the secret to verify it.
 * @throws AppError invalid `invalid_json`, `client_id_required`, `client_unknown`
 */
export function parseProviderWebhook(raw: Buffer): ProviderWebhook {
  const body = parseJson(raw);
  const clientId: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'clientId') : undefined;
  if (clientId === undefined || clientId === null || clientId === '') {
    throw new AppError('invalid', 'client_id_required', 'clientId is missing');
  }
  if (!isId(clientId)) throw unknownClient();
  return { clientId: clientId.toLowerCase(), body: body as object };
}

export function unknownClient(): AppError {
  return new AppError('invalid', 'client_unknown', 'there is no such client');
}
