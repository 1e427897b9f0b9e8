import { AppError, isId } from '@app/kernel';

/** A provider's webhook before its signature is known to be right: `body` is read for the client's id, and for no effect. */
export type Notice = { clientId: string; body: object };

/**
 * The client that a webhook says it is for: it tells which secret must have signed.
 * @throws AppError invalid `invalid_json`, `client_id_required`, `client_unknown`
 */
export function readNotice(raw: Buffer): Notice {
  const body = parse(raw);
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

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(raw));
  } catch (cause) {
    throw new AppError('invalid', 'invalid_json', 'the body is not valid JSON', { cause });
  }
}
