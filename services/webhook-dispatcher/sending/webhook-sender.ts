import type { Logger, SecretBox } from '@app/runtime';
import { failSpan, inSpan, type Span } from '@app/tracing';
import type { Attempt } from '../attempt.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { EndpointWithSecret } from '../endpoints/endpoint.ts';
import { attemptsInFlight } from '../metrics.ts';
import type { ReceiverClient, WebhookRequest } from './receiver-client.ts';
import { signatureHeader } from './signature.ts';

export type WebhookSender = {
  /** One attempt: sign and POST, bounded in time. The caller records it. */
  send(delivery: Delivery, endpoint: EndpointWithSecret): Promise<Attempt>;
  /** The headers that `send` made for an attempt at `at`, which are not stored. Null if no key opens the secret. */
  headersOf(delivery: Delivery, endpoint: EndpointWithSecret, at: Date): Record<string, string> | null;
};

type Deps = {
  client: ReceiverClient;
  secrets: SecretBox;
  logger: Logger;
  now: () => Date;
};

const userAgent = 'Facility-Platform-Webhooks/1.0';

export function createWebhookSender({ client, secrets, logger, now }: Deps): WebhookSender {
  /** By the endpoint as it was read, which serves the deliveries of about a second. */
  const secretCache = new WeakMap<EndpointWithSecret, string>();

  function secretOf(endpoint: EndpointWithSecret): string | null {
    const { sealedSecret, id: endpointId } = endpoint;
    try {
      const secret = secretCache.get(endpoint) ?? secrets.open(sealedSecret, endpointId);
      secretCache.set(endpoint, secret);
      return secret;
    } catch (error) {
      logger.error('the secret of a webhook endpoint cannot be opened', { endpointId, error });
      return null;
    }
  }

  return {
    async send(delivery, endpoint) {
      const secret = secretOf(endpoint);
      const at = now();
      if (secret === null) return unsent(at);
      const request = signedRequest(delivery, endpoint, { secret, at });
      attemptsInFlight.inc();
      // Receivers get no `traceparent`: how we work inside is not theirs to know.
      return inSpan({ name: 'POST', kind: 'client' }, async (span) => {
        const attempt = await client.post(request, at);
        describe(span, endpoint.url, attempt);
        return attempt;
      }).finally(() => attemptsInFlight.dec());
    },
    headersOf(delivery, endpoint, at) {
      const secret = secretOf(endpoint);
      return secret === null ? null : signedRequest(delivery, endpoint, { secret, at }).headers;
    },
  };
}

type Signing = { secret: string; at: Date };

function signedRequest(delivery: Delivery, endpoint: EndpointWithSecret, { secret, at }: Signing): WebhookRequest {
  const body = Buffer.from(delivery.body);
  return {
    endpointId: endpoint.id,
    url: endpoint.url,
    body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': userAgent,
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      'X-Service-Event': delivery.event,
      'X-Service-Delivery': delivery.id,
      'X-Service-Signature': signatureHeader(secret, body, at),
    },
  };
}

/** Without the path of the url, which may hold a key of the receiver. */
function describe(span: Span, url: string, { statusCode, error }: Attempt): void {
  if (!span.isRecording()) return;
  const { hostname, port } = new URL(url);
  span.setAttributes({
    ...{ 'http.request.method': 'POST', 'server.address': hostname, 'server.port': Number(port) || 443 },
    ...(statusCode === null ? {} : { 'http.response.status_code': statusCode }),
  });
  if (error !== null) failSpan(span, error);
}

function unsent(at: Date): Attempt {
  return { at, statusCode: null, durationMs: 0, error: 'secret_unreadable', responseBody: null };
}
