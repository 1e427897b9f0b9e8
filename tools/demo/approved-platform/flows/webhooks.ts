import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { HttpError, parseJsonBody, type Request } from '../../fake-server/http-server.ts';
import type { Caller } from '../accounts.ts';
import { ackStatuses, directions, type Flow, flowTypes, type StoredFlow, toldOf } from '../flow.ts';
import type { Settings } from '../settings.ts';

type Params = { callbackUrl: string; flowTypes?: string[]; flowDirection?: string; ackStatus?: string };
type Webhook = Params & { webhookId: string; createdAt: string };
type Subscription = Caller & { webhook: Webhook; signingKey: string };

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

/** Subscriptions, each owned by the client that made it, and their callbacks. */
export class Webhooks {
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #settings: Settings;
  readonly sent: CallbackResult[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** @throws HttpError 400 */
  add(caller: Caller, request: Request): { webhookId: string; signingKey: string; createdAt: string } {
    const webhook = { ...paramsOf(request), webhookId: randomUUID(), createdAt: new Date().toISOString() };
    const signingKey = randomBytes(32).toString('base64');
    this.#subscriptions.set(webhook.webhookId, { ...caller, webhook, signingKey });
    return { webhookId: webhook.webhookId, signingKey, createdAt: webhook.createdAt };
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
      ({ organization, webhook }) => organization === stored.organization && wants(webhook, told),
    );
    const results: CallbackResult[] = [];
    for (const subscription of subscribers)
      for (let time = 0; time < times; time++) results.push(await this.#post(subscription, told, how));
    return results;
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
      signal: AbortSignal.timeout(timeoutMs),
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
export function signatureOf(
  { key, body, timestamp }: { key: string; body: string; timestamp: string },
  { signatureKey, signatureDigest }: Pick<Settings, 'signatureKey' | 'signatureDigest'>,
): string {
  const digest = createHash('sha256').update(`${body}@${timestamp}`).digest();
  const fingerprint = signatureDigest === 'hex' ? digest.toString('hex') : digest;
  const secret = signatureKey === 'base64' ? Buffer.from(key, 'base64') : key;
  return createHmac('sha256', secret).update(fingerprint).digest('base64');
}

function wants({ flowTypes: types, flowDirection, ackStatus }: Webhook, flow: Flow): boolean {
  return (
    (types === undefined || types.includes(flow.flowType)) &&
    (flowDirection === undefined || flowDirection === flow.flowDirection) &&
    (ackStatus === undefined || ackStatus === flow.acknowledgement.status)
  );
}

function paramsOf(request: Request): Params {
  const { callbackUrl, flowTypes: types, flowDirection, ackStatus } = parseJsonBody(request);
  const invalid = (what: string) => new HttpError(400, 'INVALID_REQUEST', what);
  const isOf = (value: unknown, allowed: readonly string[]) => value === undefined || allowed.includes(value as string);
  if (typeof callbackUrl !== 'string' || !/^https?:/.test(callbackUrl) || !URL.canParse(callbackUrl)) {
    throw invalid('callbackUrl is an address');
  }
  if (types !== undefined && !(Array.isArray(types) && types.every((one) => flowTypes.includes(one)))) {
    throw invalid('flowTypes is a list of flow types');
  }
  if (!isOf(flowDirection, directions)) throw invalid('flowDirection has no such value');
  if (!isOf(ackStatus, ackStatuses)) throw invalid('ackStatus has no such value');
  return JSON.parse(JSON.stringify({ callbackUrl, flowTypes: types, flowDirection, ackStatus })) as Params;
}
