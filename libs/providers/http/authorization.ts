import { validateHeaderValue } from 'node:http';
import { record, text } from '../parsing/json.ts';
import type { OAuthClient } from '../provider.ts';
import { isAbsent, ProviderError } from '../provider-error.ts';

/** What the calls to an API carry in their `authorization` header. */
export type Authorization = {
  /** Null: none is needed. @throws ProviderError; the reason of an aborted `signal` */
  header(signal: AbortSignal): Promise<string | null>;
  /** The API refused this header. Whether it makes sense to call again with another. */
  refused(header: string): boolean;
  /** What no error may repeat. */
  secrets(): string[];
};

/** @param secret in the bodies of the calls */
export function noAuthorization(secret: string): Authorization {
  return { header: async () => null, refused: () => false, secrets: () => [secret] };
}

export function keyAuthorization(apiKey: string): Authorization {
  return { header: async () => bearer(apiKey), refused: () => false, secrets: () => [apiKey] };
}

type TokenRequest = (form: Record<string, string>, headers: Record<string, string>) => Promise<unknown>;
type Token = { value: string; header: string; renewAt: number };

/** For a token endpoint that does not tell how long its tokens are good. */
const defaultLifeMs = 300_000;
const renewBeforeMs = 60_000;

/**
 * Access tokens by client credentials (RFC 6749 section 4.4), kept in memory and renewed before they end, for all calls that wait by one
 * request. Ends are measured by the monotonic clock.
 * @param request posts a form to the token endpoint and gives its JSON
 */
export function tokenAuthorization(client: OAuthClient, request: TokenRequest): Authorization {
  const { clientSecret } = client;
  let token: Token | null = null;
  let renewing: Promise<Token> | null = null;

  async function renew(): Promise<Token> {
    const askedAt = performance.now();
    const answer = record(await requestToken(client, request));
    const value = text(answer['access_token']);
    if (value === null) throw new ProviderError('transient', 'the provider answered without an access token');
    const seconds = Number(answer['expires_in']);
    const lifeMs = seconds > 0 ? seconds * 1_000 : defaultLifeMs;
    token = { value, header: bearer(value), renewAt: askedAt + lifeMs - Math.min(renewBeforeMs, lifeMs / 4) };
    return token;
  }

  return {
    async header(signal) {
      if (token && performance.now() < token.renewAt) return token.header;
      renewing ??= renew().finally(() => {
        renewing = null;
      });
      return (await orAborted(renewing, signal)).header;
    },
    refused(header) {
      if (token?.header === header) token = null;
      return true;
    },
    secrets: () => [clientSecret, ...(token ? [token.value] : [])],
  };
}

/** Most endpoints take the client in the form; all that keep to RFC 6749 take it in the header. */
async function requestToken({ clientId, clientSecret }: OAuthClient, request: TokenRequest): Promise<unknown> {
  const grant = { grant_type: 'client_credentials' };
  const client = { client_id: clientId, client_secret: clientSecret };
  try {
    return await request({ ...grant, ...client }, {});
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  const encoded = [clientId, clientSecret].map((part) =>
    new URLSearchParams({ part }).toString().slice('part='.length),
  );
  const authorization = `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
  return request(grant, { authorization }).catch(tokenRefused);
}

/** Whatever is wrong with the client or the address stays wrong until somebody changes it. */
function tokenRefused(error: unknown): never {
  if (!isAbsent(error)) throw error;
  const { message, status, code } = error as ProviderError;
  throw new ProviderError('unauthorized', `no access token for the OAuth2 client: ${message}`, { status, code });
}

/** Rejects with the signal's reason once it is aborted; the work goes on for the others that wait for it. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

/** @throws ProviderError unauthorized if no header can carry the key: it is as good as a wrong one */
function bearer(key: string): string {
  try {
    validateHeaderValue('authorization', key);
  } catch {
    throw new ProviderError('unauthorized', 'the API key has characters that no API key has');
  }
  return `Bearer ${key}`;
}
