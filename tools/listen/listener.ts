import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@app/infra';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@facility-platform/webhook-verifier';

/** What one request turned out to be: an event, or why it is none. `text` is its body as it came. */
export type Heard =
  | { genuine: true; event: WebhookEvent; text: string }
  | { genuine: false; fault: string; text: string; delivery: string | null };

export type Listener = { url: string; close(): void };

type Options = {
  /** Where the authority lies that the platform on this machine trusts; made there if need be. */
  authorityDir: string;
  /** 0: any that is free. */
  port?: number;
  /** The secrets known by now; none: nothing verifies. */
  secrets: () => string[];
  hear: (heard: Heard) => void;
  /** What a genuine event is answered, 204; whatever else is 400. */
  status?: number;
};

const maxBodyBytes = 5 * 1024 * 1024;

/** A subscriber's HTTPS server on this machine, which looks at each webhook as any receiver should (spec section 6.4). */
export async function startListener({ authorityDir, port = 0, ...options }: Options): Promise<Listener> {
  const certificate = await issueCertificate(await createAuthority(authorityDir), ['127.0.0.1', 'localhost']);
  const server = createServer(certificate, (req, res) => {
    bodyOf(req).then(
      (body) => {
        const heard = look(body, req, options.secrets());
        options.hear(heard);
        res.writeHead(heard.genuine ? (options.status ?? 204) : 400).end();
      },
      () => res.writeHead(413).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function look(body: Buffer, req: IncomingMessage, secrets: string[]): Heard {
  const text = body.toString('utf8');
  try {
    return { genuine: true, event: verifyWebhook(body, req.headers, secrets), text };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const delivery = req.headers['x-service-delivery'];
    return { genuine: false, fault: error.message, text, delivery: typeof delivery === 'string' ? delivery : null };
  }
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('more than any event has');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
