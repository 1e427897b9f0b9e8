import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { AppError, ValidationError } from '@app/kernel';
import { closeNow } from '@app/testing';
import express, { type ErrorRequestHandler, type Express } from 'express';

export type Web = { url: string; port: number; stop(): Promise<void> };

const statuses: Record<string, number> = {
  invalid: 400,
  not_found: 404,
  too_large: 413,
  unsupported_type: 415,
  range_not_satisfiable: 416,
  unavailable: 502,
};

/** The app on a port of its own; failures answered as the platform's HTTP library does. */
export async function serve(app: Express): Promise<Web> {
  const answer: ErrorRequestHandler = (error, _req, res, _next) => {
    if (res.headersSent) return void res.destroy();
    if (error instanceof ValidationError) return void res.status(422).json({ errors: error.errors });
    const status = error instanceof AppError ? statuses[error.kind] : undefined;
    res.status(status ?? 500).json({ code: error instanceof AppError ? error.code : 'internal_error' });
  };
  // As our services: Node's default of 5 s closes connections that a sender on a busy machine is about to use.
  const server = createServer({ keepAliveTimeout: 65_000 }, app.use(answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: () => closeNow(server),
  };
}

/** A bare connection, and the text that came in on it so far. */
export function dial(port: number): Socket & { received(): string } {
  const parts: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (part) => parts.push(part)).on('error', () => undefined);
  return Object.assign(socket, { received: () => Buffer.concat(parts).toString('latin1') });
}

export { express };
