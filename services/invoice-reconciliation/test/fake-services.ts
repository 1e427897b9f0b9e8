import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InvoiceLineSnapshot, TicketSnapshot } from '@app/contracts';
import { closeNow } from '@app/testing';

type Put = { path: string; line: InvoiceLineSnapshot; token: string };

/** Fakes of the ticket and the connection service: a real HTTP server with responses that a test sets. */
export type FakeServices = Awaited<ReturnType<typeof startFakeServices>>;

type Answers = {
  line: number | 'hang';
  resync: number;
  /** What the directory says; a number: the status of the response. */
  address: { address: string | null; failure: string | null } | number;
};

export async function startFakeServices() {
  const tickets = new Map<string, TicketSnapshot>();
  const places: string[] = [];
  const below = new Map<string, string[]>();
  const lines: Put[] = [];
  const resyncs: unknown[] = [];
  const addressesAsked: unknown[] = [];
  let answers: Answers = { line: 204, resync: 202, address: 503 };

  const server = createServer(async (req, res) => {
    const body = await bodyOf(req);
    const path = req.url ?? '';
    const token = String(req.headers.authorization);
    const reply = (status: number, content?: unknown) =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(content && JSON.stringify(content));
    const [, asked] = /^\/internal\/places\?location_id=(\w+)$/.exec(path) ?? [];
    if (asked !== undefined) return reply(200, { place_ids: [asked, ...(below.get(asked) ?? [])] });
    if (path === '/internal/places') return reply(200, { place_ids: places });
    if (path === '/internal/invoice-resyncs') {
      resyncs.push(body);
      return reply(answers.resync, { error: 'no', code: 'no' });
    }
    if (path === '/internal/supplier-addresses') {
      addressesAsked.push(body);
      const { address } = answers;
      return typeof address === 'number' ? reply(address, { error: 'no', code: 'no' }) : reply(200, address);
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
    /** Tickets of the ticket service, by id. */
    tickets,
    /** The places of a limited caller, with those below. */
    places,
    /** What is below a place. */
    below,
    /** Lines that were pushed. */
    lines,
    /** Resyncs that were requested. */
    resyncs,
    /** Suppliers whose address was asked for. */
    addressesAsked,
    /** What the next responses are; of a push and a resync their status. `hang`: no response. */
    say(next: Partial<Answers>): void {
      answers = { ...answers, ...next };
    },
    stop: (): Promise<void> => closeNow(server),
  };
}

async function bodyOf(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : null;
}
