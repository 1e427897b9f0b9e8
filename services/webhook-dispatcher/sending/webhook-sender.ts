import type { Logger, SecretBox } from '@app/runtime';
import { failSpan, inSpan, type Span } from '@app/runtime/tracing';
import type { Attempt } from '../attempt.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import { openHeaders } from '../endpoints/custom-header.ts';
import type { EndpointWithSecret } from '../endpoints/endpoint.ts';
import { attemptsInFlight } from '../metrics.ts';
import type { ReceiverClient } from './receiver-client.ts';
import { signatureHeader } from './signature.ts';

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** The decrypted values of an endpoint. */
type Opened = { secret: string; headers: Record<string, string> };
type Signing = { secret: string; at: Date };

type Deps = {
  client: ReceiverClient;
  secrets: SecretBox;
  logger: Logger;
  now: () => Date;
};

const userAgent = 'Facility-Platform-Webhooks/1.0';

export function createWebhookSender({ client, secrets, logger, now }: Deps) {
  /** Keyed by the endpoint object as it was read, which serves the deliveries of about a second. */
  const openedCache = new WeakMap<EndpointWithSecret, Opened>();

  function open(endpoint: EndpointWithSecret): Opened | null {
    const { sealedSecret, customHeaders, id: endpointId } = endpoint;
    const known = openedCache.get(endpoint);
    if (known) return known;
    try {
      const secret = secrets.open(sealedSecret, endpointId);
      const opened = { secret, headers: openHeaders(secrets, endpointId, customHeaders) };
      openedCache.set(endpoint, opened);
      return opened;
    } catch (error) {
      logger.error('secret of a webhook endpoint cannot be decrypted', { endpointId, error });
      return null;
    }
  }

  return {
    /** One attempt: sign and POST, bounded in time. The caller records it. */
    async send(delivery: Delivery, endpoint: EndpointWithSecret): Promise<Attempt> {
      const opened = open(endpoint);
      const at = now();
      if (opened === null) return unsent(at);
      const body = Buffer.from(delivery.body);
      const headers = { ...opened.headers, ...signedHeaders(delivery, body, { secret: opened.secret, at }) };
      const request = { endpointId: endpoint.id, url: endpoint.url, body, headers };
      attemptsInFlight.inc();
      // Receivers get no `traceparent`: it would reveal the inside of the platform.
      return inSpan({ name: 'POST', kind: 'client' }, async (span) => {
        const attempt = await client.post(request, at);
        describe(span, endpoint.url, attempt);
        return attempt;
      }).finally(() => attemptsInFlight.dec());
    },
    /**
     * Rebuilds the headers that `send` made for an attempt at `at`, which are not stored. Without the endpoint's custom
     * headers, whose values are never shown. Null if no key opens the secret.
     */
    headersOf(delivery: Delivery, endpoint: EndpointWithSecret, at: Date): Record<string, string> | null {
      const opened = open(endpoint);
      return opened && signedHeaders(delivery, Buffer.from(delivery.body), { secret: opened.secret, at });
    },
  };
}

/** `webhookHeaders`, and the headers of any request. Custom headers cannot have these names (`isReserved`). */
function signedHeaders(delivery: Delivery, body: Uint8Array, { secret, at }: Signing): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    'X-Service-Event': delivery.event,
    'X-Service-Delivery': delivery.id,
    'X-Service-Signature': signatureHeader(secret, body, at),
  };
}

/** Sets the attributes of a span, without the path of the URL, which may contain a key of the receiver. */
function describe(span: Span, url: string, { statusCode, error }: Attempt): void {
  if (!span.isRecording()) return;
  const { hostname, port } = new URL(url);
  span.setAttributes({
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': Number(port) || 443,
    ...(statusCode === null ? {} : { 'http.response.status_code': statusCode }),
  });
  if (error !== null) failSpan(span, error);
}

function unsent(at: Date): Attempt {
  return { at, statusCode: null, durationMs: 0, error: 'secret_unreadable', responseBody: null };
}
