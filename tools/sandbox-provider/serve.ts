import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that was read: `path` without its query, `body` at most 40 MB. */
export type Request = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
};

/** What is answered: `json` as JSON, `bytes` as they are, neither: an empty body. */
export type Reply = { status: number; json?: unknown; bytes?: Buffer; headers?: Record<string, string> };

export type Served = { url: string; port: number; close(): Promise<void> };

const maxBodyBytes = 40_000_000;

/** A failure of the caller: its status and code are the answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * A plain HTTP server on loopback, port 0: any free one.
 * @param before resolves to true where it has taken the request over
 */
export async function serve(
  handle: (request: Request) => Reply | Promise<Reply>,
  { port, before }: { port: number; before?: (req: IncomingMessage, res: ServerResponse) => Promise<boolean> },
): Promise<Served> {
  const server = createServer((req, res) => {
    const answered = async () => {
      const body = await bodyOf(req);
      if (await before?.(req, res)) return;
      const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
      const request = { method: req.method ?? 'GET', path: pathname, query: searchParams, headers: req.headers, body };
      send(res, await handle(request));
    };
    answered().catch((error: unknown) => {
      if (res.headersSent || res.destroyed) return void res.destroy();
      send(res, refused(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The body as JSON. @throws Refusal 400 */
export function jsonOf({ body }: Request): Record<string, unknown> {
  try {
    const value: unknown = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below, as for JSON of another form.
  }
  throw new Refusal(400, 'invalid_json', 'the body is no JSON object');
}

/** The parts of a path, decoded; one that can't be is a path to nothing. @throws Refusal 404 */
export function partsOf({ path }: Request): string[] {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    throw new Refusal(404, 'not_found', 'there is no such path');
  }
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Refusal(413, 'too_large', `a body has at most ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refused(error: unknown): Reply {
  if (error instanceof Refusal) return { status: error.status, json: { code: error.code, message: error.message } };
  return { status: 500, json: { code: 'internal_error', message: error instanceof Error ? error.message : 'unknown' } };
}

function send(res: ServerResponse, { status, json, bytes, headers }: Reply): void {
  const content = json === undefined ? (bytes ?? Buffer.alloc(0)) : Buffer.from(JSON.stringify(json));
  const type = json === undefined ? 'application/octet-stream' : 'application/json';
  res.writeHead(status, { 'content-type': type, 'content-length': content.length, ...headers });
  res.end(content);
}
