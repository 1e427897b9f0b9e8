import { randomBytes } from 'node:crypto';
import { HttpError, type Reply, type Request } from '../fake-server/http-server.ts';
import type { Settings } from './settings.ts';

/**
 * A client of OAuth2, which acts for these organisations; one without any is its own, by its id. `apiKey` is a bearer key that never
 * expires, which some platforms give besides.
 */
export type Client = { clientId: string; clientSecret: string; organizations: string[]; apiKey: string | null };

/** Who calls: the token's client, and the organisation that it means. */
export type Caller = { clientId: string; organization: string };

export type TokenRequest = { at: string; clientId: string | null; by: 'basic' | 'body'; status: number };

const maxTokens = 10_000;

/** Clients and their tokens. */
export class Accounts {
  readonly #clients = new Map<string, Client>();
  readonly #tokens = new Map<string, { clientId: string; expiresAt: number }>();
  readonly tokenRequests: TokenRequest[] = [];

  setClient(client: Client): void {
    const { clientId, organizations } = client;
    this.#clients.set(clientId, { ...client, organizations: organizations.length > 0 ? organizations : [clientId] });
  }

  isOrganization(organization: string): boolean {
    return [...this.#clients.values()].some(({ organizations }) => organizations.includes(organization));
  }

  /** Answers a token request by client credentials (RFC 6749, sections 4.4 and 5). */
  token(request: Request, { tokenSeconds, clientAuthentication }: Settings): Reply {
    const form = new URLSearchParams(request.body.toString('utf8'));
    const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const by = basic === undefined ? 'body' : 'basic';
    const [clientId, secret] = basic === undefined ? [form.get('client_id'), form.get('client_secret')] : parts(basic);
    const answer = (status: number, json: object): Reply => {
      this.tokenRequests.push({ at: new Date().toISOString(), clientId: clientId ?? null, by, status });
      if (this.tokenRequests.length > maxTokens) this.tokenRequests.shift();
      return { status, json, headers: { 'cache-control': 'no-store' } };
    };
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
    const client = this.#clients.get(clientId ?? '');
    if (request.method !== 'POST' || !isForm) return answer(400, { error: 'invalid_request' });
    const isWhereWanted = clientAuthentication === 'any' || clientAuthentication === by;
    if (!client || client.clientSecret !== secret || !isWhereWanted) return answer(401, { error: 'invalid_client' });
    if (form.get('grant_type') !== 'client_credentials') return answer(400, { error: 'unsupported_grant_type' });
    const token = randomBytes(32).toString('base64url');
    this.#tokens.set(token, { clientId: client.clientId, expiresAt: Date.now() + tokenSeconds * 1000 });
    if (this.#tokens.size > maxTokens) this.#tokens.delete(this.#tokens.keys().next().value as string);
    return answer(200, { access_token: token, token_type: 'Bearer', expires_in: tokenSeconds });
  }

  /** Ends the tokens of a client, or all, before their time. */
  revoke(clientId?: string): void {
    for (const [token, { clientId: owner }] of this.#tokens)
      if (clientId === undefined || clientId === owner) this.#tokens.delete(token);
  }

  /** Who calls a service that knows no organisations. @throws HttpError 401 without a good token */
  clientOf({ headers }: Request): Client {
    const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    if (bearer === undefined) throw new HttpError(401, 'MISSING_TOKEN', 'the request has no bearer token');
    const token = this.#tokens.get(bearer);
    const client = token
      ? this.#clients.get(token.clientId)
      : [...this.#clients.values()].find(({ apiKey }) => apiKey === bearer);
    if (!client || (token && token.expiresAt <= Date.now())) {
      throw new HttpError(401, 'INVALID_TOKEN', 'the token is unknown or has expired');
    }
    return client;
  }

  /** @throws HttpError 401 without a good token; 400 or 403 unless the client acts for the organisation */
  identify(request: Request): Caller {
    const { clientId, organizations } = this.clientOf(request);
    const named = request.headers['organization-id'];
    if (named === undefined && organizations.length > 1) {
      throw new HttpError(
        400,
        'MISSING_ORGANIZATION',
        'the client acts for several: Organization-Id says which is meant',
      );
    }
    const organization = named === undefined ? organizations[0] : organizations.find((one) => one === named);
    if (organization === undefined)
      throw new HttpError(403, 'FORBIDDEN_ACCESS', 'the client does not act for this one');
    return { clientId, organization };
  }
}

/** The id and the secret of `Authorization: Basic`, each encoded as in a form (RFC 6749, section 2.3.1). */
function parts(basic: string): [string, string] {
  const decoded = Buffer.from(basic, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const [id, secret] = colon < 0 ? [decoded, ''] : [decoded.slice(0, colon), decoded.slice(colon + 1)];
  const form = new URLSearchParams(`id=${id}&secret=${secret}`);
  return [form.get('id') ?? '', form.get('secret') ?? ''];
}
