import { createAuthority, issueCertificate } from '@app/start/infra';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@facility-platform/webhook-verifier';
import { type Request, startHttpServer } from '../fake-server/http-server.ts';

/** A request, verified: its event, or why it is invalid. `text` is the raw body. */
export type ReceivedWebhook =
  | { valid: true; event: WebhookEvent; text: string }
  | { valid: false; reason: string; text: string; delivery: string | null };

type Options = {
  /** The folder of the certificate authority that the platform on this machine trusts; created if missing. */
  authorityDir: string;
  /** The address of this machine that it listens on, 127.0.0.1. */
  host?: string;
  /** 0, the default: any free port. */
  port?: number;
  /** The secrets known so far; without one nothing verifies. */
  secrets: () => string[];
  onWebhook: (webhook: ReceivedWebhook) => void;
  /** The response to a valid event, by default 204. Any other request gets 400. */
  status?: number;
};

const maxBodyBytes = 5 * 1024 * 1024;

/** A subscriber's HTTPS server on this machine, which verifies each webhook as every receiver should (docs/webhooks.md). */
export async function startListener({ authorityDir, host = '127.0.0.1', port = 0, ...options }: Options) {
  const certificate = await issueCertificate(await createAuthority(authorityDir), [host, 'localhost']);
  const answer = (request: Request) => {
    const received = verify(request, options.secrets());
    options.onWebhook(received);
    return { status: received.valid ? (options.status ?? 204) : 400 };
  };
  const { url, close } = await startHttpServer(answer, { host, port, certificate, maxBodyBytes });
  return { url: `${url}/webhooks`, close };
}

function verify({ body, headers }: Request, secrets: string[]): ReceivedWebhook {
  const text = body.toString('utf8');
  try {
    return { valid: true, event: verifyWebhook(body, headers, secrets), text };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const delivery = headers['x-service-delivery'];
    return { valid: false, reason: error.message, text, delivery: typeof delivery === 'string' ? delivery : null };
  }
}
