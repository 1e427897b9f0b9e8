import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '@app/start/infra';
import type { Bench } from '../harness/bench.ts';
import { until } from '../harness/until.ts';

/** Per event, in the order of arrival: its number and the time (milliseconds since 1970). */
type Arrivals = { numbers: number[]; at: number[] };

/** A subscriber on loopback that speaks HTTPS; paths that begin with `/hang` are answered after 10 s, all else at once. */
export type Receiver = AsyncDisposable & {
  url(path: string): string;
  /** What arrived since the last call, once that is at least so much. @throws Error after 5 minutes */
  takeArrivals(least: number): Promise<Arrivals>;
  /** How many requests hang now. */
  hangingRequests(): number;
};

const hangsMs = 10_000;
const arriveWithinMs = 5 * 60_000;
const numberInBody = /"number":"T-(\d+)"/;

/** How long each took from its publication, in milliseconds, ascending. @param publishedAt by number, as `Arrivals.at` */
export function latenciesOf({ numbers, at }: Arrivals, publishedAt: number[]): Float64Array {
  return Float64Array.from(numbers, (number, index) => (at[index] as number) - (publishedAt[number] as number)).sort();
}

export async function startReceiver({ authority }: Bench): Promise<Receiver> {
  let arrivals: Arrivals = { numbers: [], at: [] };
  let hanging = 0;
  const server = createServer(await issueCertificate(authority, ['127.0.0.1']), (req, res) => {
    let body = '';
    req.setEncoding('latin1');
    req.on('data', (chunk: string) => {
      body += chunk;
    });
    req.on('end', () => {
      const answer = () => void res.end();
      if (req.url?.startsWith('/hang')) {
        hanging += 1;
        setTimeout(answer, hangsMs).unref();
        res.once('close', () => {
          hanging -= 1;
        });
        return;
      }
      arrivals.numbers.push(Number(numberInBody.exec(body)?.[1] ?? -1));
      arrivals.at.push(performance.timeOrigin + performance.now());
      answer();
    });
  });
  await once(server.listen(0, '127.0.0.1', 1_024), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `https://127.0.0.1:${port}${path}`,
    async takeArrivals(least) {
      const haveCome = async () => arrivals.at.length >= least;
      await until(haveCome, arriveWithinMs, () => `${arrivals.at.length} of ${least} webhooks arrived`);
      const taken = arrivals;
      arrivals = { numbers: [], at: [] };
      return taken;
    },
    hangingRequests: () => hanging,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
