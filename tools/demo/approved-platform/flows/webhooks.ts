import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { HttpError, parseJsonBody, type Request } from '../../fake-server/http-server.ts';
import type { Caller } from '../accounts.ts';
import { type Flow, type StoredFlow, toldOf } from '../flow.ts';
import type { Settings } from '../settings.ts';
import { checkWhere, invalid, meets, type Where } from './criteria.ts';

type Webhook = Record<string, unknown> & { webhookId: string; createdAt: string; callbackUrl: string };
type Subscription = Caller & { webhook: Webhook; where: Where; signingKey: string };

/** How callbacks are sent. `flow`: what they say of the flow instead of what is so. */
export type Delivery = {
  times?: number;
  delayMs?: number;
  signature?: 'right' | 'wrong' | 'none';
  /** How long ago the timestamp, which is signed, says that they were sent. */
  ageSeconds?: number;
  flow?: Partial<Flow>;
};

/** The subscriber's status, or why there is none. */
export type CallbackResult = {
  webhookId: string;
  flowId: string;
  at: string;
  status: number | null;
  error: string | null;
};

const timeoutMs = 10_000;
const maxResults = 1_000;
const maxSubscriptions = 1_000;

/** Subscriptions, each owned by the client that made it, and their callbacks. */
export class Webhooks {
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #settings: Settings;
  readonly #ending = new AbortController();
  readonly sent: CallbackResult[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** @throws HttpError 400 */
  add(caller: Caller, request: Request): { webhookId: string; signingKey: string; createdAt: string } {
    const { callbackUrl, flowTypes, flowDirection, ackStatus } = parseJsonBody(request);
    const where = whereOf({ flowTypes, flowDirection, ackStatus });
    if (typeof callbackUrl !== 'string' || !/^https?:/.test(callbackUrl) || !URL.canParse(callbackUrl)) {
      throw invalid('callbackUrl is an address');
    }
    if (this.#subscriptions.size >= maxSubscriptions) throw invalid(`at most ${maxSubscriptions} webhooks`);
    const made = { webhookId: randomUUID(), createdAt: new Date().toISOString() };
    const webhook = { ...made, callbackUrl, flowTypes, flowDirection, ackStatus };
    const signingKey = randomBytes(32).toString('base64');
    this.#subscriptions.set(made.webhookId, { ...caller, webhook, where, signingKey });
    return { ...made, signingKey };
  }

  /** Without the keys, which only the answer to the creation has. */
  of({ clientId, organization }: Caller): Webhook[] {
    const owned = [...this.#subscriptions.values()].filter(
      (one) => one.clientId === clientId && one.organization === organization,
    );
    return owned.map(({ webhook }) => webhook);
  }

  /** @throws HttpError 404 if the client has no such webhook */
  remove(caller: Caller, webhookId: string): void {
    if (!this.of(caller).some((one) => one.webhookId === webhookId)) {
      throw new HttpError(404, 'MISSING_RESOURCE', 'there is no such webhook');
    }
    this.#subscriptions.delete(webhookId);
  }

  /** Tells a flow to all that subscribed to it, without retries. */
  async tell(stored: StoredFlow, { flow, times = 1, ...how }: Delivery = {}): Promise<CallbackResult[]> {
    const told = { ...toldOf(stored), ...flow };
    const subscribers = [...this.#subscriptions.values()].filter(
      ({ organization, where }) => organization === stored.organization && meets(told, where),
    );
    const results: CallbackResult[] = [];
    for (const subscription of subscribers)
      for (let time = 0; time < times; time++) results.push(await this.#post(subscription, told, how));
    return results;
  }

  /** Ends the callbacks that are under way. */
  end(): void {
    this.#ending.abort();
  }

  async #post({ webhook, signingKey }: Subscription, flow: Flow, how: Delivery): Promise<CallbackResult> {
    const { delayMs = 0, signature = 'right', ageSeconds = 0 } = how;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const body = JSON.stringify(flow);
    const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
    const key = signature === 'wrong' ? randomBytes(32).toString('base64') : signingKey;
    const signed =
      signature === 'none' ? {} : { 'afnor-signature': signatureOf({ key, body, timestamp }, this.#settings) };
    const result = { webhookId: webhook.webhookId, flowId: flow.flowId, at: new Date().toISOString() };
    const outcome = await fetch(webhook.callbackUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'afnor-signature-timestamp': timestamp, ...signed },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(timeoutMs)]),
    }).then(
      async (response) => {
        await response.body?.cancel();
        return { status: response.status, error: null };
      },
      (error: unknown) => ({ status: null, error: error instanceof Error ? error.message : 'unknown' }),
    );
    this.sent.push({ ...result, ...outcome });
    if (this.sent.length > maxResults) this.sent.shift();
    return { ...result, ...outcome };
  }
}

/** `Afnor-Signature`: base64(HMAC-SHA-256(key, SHA-256(body + "@" + timestamp))), in the reading that the settings choose. */
function signatureOf(
  { key, body, timestamp }: { key: string; body: string; timestamp: string },
  { signatureKey, signatureDigest }: Pick<Settings, 'signatureKey' | 'signatureDigest'>,
): string {
  const digest = createHash('sha256').update(`${body}@${timestamp}`).digest();
  const fingerprint = signatureDigest === 'hex' ? digest.toString('hex') : digest;
  const secret = signatureKey === 'base64' ? Buffer.from(key, 'base64') : key;
  return createHmac('sha256', secret).update(fingerprint).digest('base64');
}

/** What the webhook subscribes to, as the criteria of a search. @throws HttpError 400 */
function whereOf({ flowTypes, flowDirection, ackStatus }: Record<string, unknown>): Where {
  const where = {
    ...(flowTypes === undefined ? {} : { flowType: flowTypes }),
    ...(flowDirection === undefined ? {} : { flowDirection: [flowDirection] }),
    ...(ackStatus === undefined ? {} : { ackStatus }),
  };
  checkWhere(where);
  return where;
}
