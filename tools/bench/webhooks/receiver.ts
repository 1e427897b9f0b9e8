import { join } from 'node:path';
import { withTimeout } from '@app/runtime';
import { createAuthority, issueCertificate } from '@app/start/infra';
import { startWorker } from './worker.ts';

/** Per event, in the order of arrival: its number and the time (milliseconds since 1970). */
export type Arrivals = { numbers: number[]; at: number[] };

export type ReceiverCommand = { ask: 'port' } | { ask: 'hanging' } | { ask: 'take'; least: number };

/** A subscriber on loopback that speaks HTTPS, in a thread of its own; `/hang…` answers after 10 s, all else at once. */
export type Receiver = {
  url(path: string): string;
  /** The certificate that callers must trust. */
  certFile: string;
  /** What arrived since the last call, once that is at least so much. @throws Error after `withinMs` */
  takeArrivals(least: number, withinMs: number): Promise<Arrivals>;
  /** How many requests hang now. */
  hangingRequests(): Promise<number>;
  close(): Promise<void>;
};

/** How long each took from its publication, in milliseconds, ascending. @param publishedAt by number, as `Arrivals.at` */
export function latenciesOf({ numbers, at }: Arrivals, publishedAt: number[]): Float64Array {
  return Float64Array.from(numbers, (number, index) => (at[index] as number) - (publishedAt[number] as number)).sort();
}

/** @param folder where the certificate is stored */
export async function startReceiver(folder: string): Promise<Receiver> {
  const authority = await createAuthority(folder);
  const certificate = await issueCertificate(authority, ['127.0.0.1']);
  const worker = startWorker(join(import.meta.dirname, 'receiver-worker.ts'), certificate);
  const ask = (command: ReceiverCommand) => worker.ask(command);
  const port = (await ask({ ask: 'port' })) as number;
  return {
    url: (path) => `https://127.0.0.1:${port}${path}`,
    certFile: authority.certFile,
    async takeArrivals(least, withinMs) {
      const taken = ask({ ask: 'take', least });
      return (await withTimeout(taken, { ms: withinMs, what: `a receiver of ${least} webhooks` })) as Arrivals;
    },
    hangingRequests: async () => (await ask({ ask: 'hanging' })) as number,
    close: worker.close,
  };
}
