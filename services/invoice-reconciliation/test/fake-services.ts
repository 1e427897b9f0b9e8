import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InvoiceLineSnapshot, TicketSnapshot } from '@app/contracts';
import { closeNow } from '@app/testing';

type Put = { path: string; line: InvoiceLineSnapshot; token: string };

/** Fakes of the ticket and the connection service: a real HTTP server with responses that a test sets. */
export type FakeServices = {
  url: string;
  /** Tickets of the ticket service, by id. */
  tickets: Map<string, TicketSnapshot>;
  /** The places of a limited caller, with those below. */
  places: string[];
  /** Lines that were pushed. */
  lines: Put[];
  /** Resyncs that were requested. */
  resyncs: unknown[];
  /** Status of the next responses to a push and to a resync. `hang`: no response. */
  say(answers: { line?: number | 'hang'; resync?: number }): void;
  stop(): Promise<void>;
};

export async function startFakeServices(): Promise<FakeServices> {
  const tickets = new Map<string, TicketSnapshot>();
  const places: string[] = [];
  const lines: Put[] = [];
  const resyncs: unknown[] = [];
  let answers: { line: number | 'hang'; resync: number } = { line: 204, resync: 202 };

  const server = createServer(async (req, res) => {
    const body = await bodyOf(req);
    const path = req.url ?? '';
    const token = String(req.headers.authorization);
    const reply = (status: number, content?: unknown) =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(content && JSON.stringify(content));
    if (path === '/internal/places') return reply(200, { place_ids: places });
    if (path === '/internal/invoice-resyncs') {
      resyncs.push(body);
      return reply(answers.resync, { error: 'no', code: 'no' });
    }
    if (path.includes('/invoice-lines/')) {
      lines.push({ path, line: body as InvoiceLineSnapshot, token });
      return answers.line === 'hang' ? undefined : reply(answers.line);
    }
    const snapshot = tickets.get(/^\/internal\/tickets\/(\w+)\/snapshot$/.exec(path)?.[1] ?? '');
    return snapshot ? reply(200, snapshot) : reply(404, { error: 'no', code: 'ticket_not_found' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tickets,
    places,
    lines,
    resyncs,
    say(next) {
      answers = { ...answers, ...next };
    },
    stop: () => closeNow(server),
  };
}

async function bodyOf(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : null;
}
