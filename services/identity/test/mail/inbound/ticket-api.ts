import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeNow } from '@app/testing';

export type Posted = { path: string; bearer: string; key: string; type: string; body: string };

/** A stand-in for gateway and ticket service: keeps what is posted, once for each Idempotency-Key. */
export async function startTicketApi() {
  const posted: Posted[] = [];
  const keys = new Set<string>();
  let refusal: { status: number; code: string; what: string } | null = null;
  let onPost = async (): Promise<void> => undefined;
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const answer = (status: number, body: object) => res.writeHead(status).end(JSON.stringify(body));
    const path = req.url ?? '';
    if (refusal && path.endsWith(refusal.what)) return void answer(refusal.status, { code: refusal.code });
    const key = String(req.headers['idempotency-key']);
    const bearer = String(req.headers.authorization).replace('Bearer ', '');
    const type = String(req.headers['content-type']).split(';')[0] ?? '';
    const body = Buffer.concat(chunks).toString(type === 'application/json' ? 'utf8' : 'latin1');
    if (!keys.has(key)) posted.push({ path, bearer, key, type, body });
    keys.add(key);
    await onPost();
    return void answer(201, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted,
    ofTicket: (ticketId: string) => posted.filter(({ path }) => path.includes(ticketId)),
    /** Refuses what is posted to paths that end so; null: nothing. */
    refuse(next: typeof refusal) {
      refusal = next;
    },
    /** Runs before an answer, once what was posted is kept. */
    beforeAnswer(next: () => Promise<void>) {
      onPost = next;
    },
    close: () => closeNow(server),
  };
}

export type TicketApiStandIn = Awaited<ReturnType<typeof startTicketApi>>;
