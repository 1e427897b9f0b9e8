import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { bearer, startGateway, startUpstream } from './gateway.ts';

export type Handle = (req: IncomingMessage, res: ServerResponse) => void;
export type Options = Parameters<typeof startGateway>[0];

const stops: (() => Promise<void>)[] = [];

export function stopAfter(stop: () => Promise<void>): void {
  stops.push(stop);
}

/** For `afterEach`: closes what the test started, the last first. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}

export async function startWith(options: Options = {}) {
  const gateway = await startGateway(options);
  stopAfter(gateway.close);
  return gateway;
}

/** A gateway before a ticket service that behaves as given. */
export async function before(handle?: Handle, options: Options = {}) {
  const upstream = await startUpstream(handle);
  stopAfter(upstream.close);
  const gateway = await startWith({ ...options, services: { ticket: upstream.url, ...options.services } });
  return { ...gateway, upstream };
}

/** A POST of an API token whose body the test writes itself. */
export function upload(port: number, headers: Record<string, string>) {
  const path = '/api/v3.0/tickets';
  const req = request({ host: '127.0.0.1', port, method: 'POST', path, headers: { ...bearer(), ...headers } });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    req.on('response', (res) => resolve(res.resume()));
    req.on('error', reject);
  });
  answered.catch(() => undefined);
  return { req, answered };
}
