import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@app/start/infra';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@facility-platform/webhook-verifier';

/** A request, verified: its event, or why it is invalid. `text` is the raw body. */
export type ReceivedWebhook =
  | { valid: true; event: WebhookEvent; text: string }
  | { valid: false; reason: string; text: string; delivery: string | null };

type Listener = { url: string; close(): void };

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
export async function startListener({
  authorityDir,
  host = '127.0.0.1',
  port = 0,
  ...options
}: Options): Promise<Listener> {
  const certificate = await issueCertificate(await createAuthority(authorityDir), [host, 'localhost']);
  const server = createServer(certificate, (req, res) => {
    bodyOf(req).then(
      (body) => {
        const received = verify(body, req, options.secrets());
        options.onWebhook(received);
        res.writeHead(received.valid ? (options.status ?? 204) : 400).end();
      },
      () => res.writeHead(413).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `https://${host}:${(server.address() as AddressInfo).port}/webhooks`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function verify(body: Buffer, req: IncomingMessage, secrets: string[]): ReceivedWebhook {
  const text = body.toString('utf8');
  try {
    return { valid: true, event: verifyWebhook(body, req.headers, secrets), text };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const delivery = req.headers['x-service-delivery'];
    return { valid: false, reason: error.message, text, delivery: typeof delivery === 'string' ? delivery : null };
  }
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('larger than any event');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
