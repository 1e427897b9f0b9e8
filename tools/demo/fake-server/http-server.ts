import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** `path` is without its query. */
export type Request = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
};

/** The body is `json`, else `bytes`, else empty. */
export type Reply = { status: number; json?: unknown; bytes?: Buffer; headers?: Record<string, string> };

/** The body of an error response. */
export type ErrorBody = (code: string, message: string) => object;

type ServerOptions = {
  host?: string;
  port: number;
  /** With one, it is an HTTPS server. */
  certificate?: { cert: string; key: string };
  /** 40 MB if absent. */
  maxBodyBytes?: number;
  /** `{code, message}` if absent. */
  errorBody?: ErrorBody;
  /** Resolves to true if it handles the request itself. */
  before?: (req: IncomingMessage, res: ServerResponse) => Promise<boolean>;
};

export type HttpServer = { url: string; port: number; close(): Promise<void> };

export const codeAndMessage: ErrorBody = (code, message) => ({ code, message });

/** An error response with this status and code. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An HTTP server, on loopback unless `host` is another address. Port 0 is any free port. */
export async function startHttpServer(
  handle: (request: Request) => Reply | Promise<Reply>,
  {
    host = '127.0.0.1',
    port,
    certificate,
    maxBodyBytes = 40_000_000,
    errorBody = codeAndMessage,
    before,
  }: ServerOptions,
): Promise<HttpServer> {
  // As our services: by default Node closes idle connections after 5 s, which a busy caller may be about to use.
  const options = { keepAliveTimeout: 65_000 };
  const listener = (req: IncomingMessage, res: ServerResponse) => {
    const answered = async () => {
      const body = await bodyOf(req, maxBodyBytes);
      if (await before?.(req, res)) return;
      const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
      const request = { method: req.method ?? 'GET', path: pathname, query: searchParams, headers: req.headers, body };
      send(res, await handle(request));
    };
    answered().catch((error: unknown) => {
      if (res.headersSent || res.destroyed) return void res.destroy();
      send(res, refused(error, errorBody));
    });
  };
  const server = certificate
    ? createTlsServer({ ...options, ...certificate }, listener)
    : createServer(options, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `${certificate ? 'https' : 'http'}://${host}:${bound}`,
    port: bound,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The body as a JSON object. @throws HttpError 400 */
export function parseJsonBody({ body }: Request): Record<string, unknown> {
  try {
    const value: unknown = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The error below covers JSON of another type as well.
  }
  throw new HttpError(400, 'invalid_json', 'the body is no JSON object');
}

/** A field of a body that is a text. @throws HttpError 422 */
export function required(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw missing(name);
  return value;
}

export function missing(name: string): HttpError {
  return new HttpError(422, 'missing', `${name} is missing or of another type`);
}

/** The decoded segments of the path. @throws HttpError 404 if one cannot be decoded */
export function pathSegments({ path }: Request): string[] {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    throw new HttpError(404, 'not_found', 'there is no such path');
  }
}

async function bodyOf(req: IncomingMessage, maxBodyBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new HttpError(413, 'too_large', `a body has at most ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refused(error: unknown, errorBody: ErrorBody): Reply {
  if (error instanceof HttpError) return { status: error.status, json: errorBody(error.code, error.message) };
  return { status: 500, json: errorBody('internal_error', error instanceof Error ? error.message : 'unknown') };
}

function send(res: ServerResponse, { status, json, bytes, headers }: Reply): void {
  const content = json === undefined ? (bytes ?? Buffer.alloc(0)) : Buffer.from(JSON.stringify(json));
  const type = json === undefined ? 'application/octet-stream' : 'application/json';
  res.writeHead(status, { 'content-type': type, 'content-length': content.length, ...headers });
  res.end(content);
}
