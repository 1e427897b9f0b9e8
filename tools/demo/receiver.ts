import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@app/parts';
import { faultOfSignature } from './verify.ts';

export type ReceivedEvent = { event: string; delivery: string; data: Record<string, unknown>; fault: string | null };

export type DemoReceiver = { url: string; events: ReceivedEvent[]; trust(secret: string): void; close(): void };

/** A subscriber's HTTPS server on this machine: answers 200 to what is signed as it should be, 400 to the rest. */
export async function startDemoReceiver(authorityDir: string): Promise<DemoReceiver> {
  const certificate = await issueCertificate(await createAuthority(authorityDir), ['127.0.0.1']);
  const events: ReceivedEvent[] = [];
  let secret = '';
  const server = createServer(certificate, (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      const fault = faultOfSignature(String(req.headers['x-service-signature'] ?? ''), body, secret);
      const { event, data } = JSON.parse(body.toString('utf8')) as { event: string; data: Record<string, unknown> };
      events.push({ event, data, delivery: String(req.headers['x-service-delivery']), fault });
      res.writeHead(fault ? 400 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    events,
    trust: (given) => {
      secret = given;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
