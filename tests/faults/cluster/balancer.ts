import { get } from 'node:http';
import type { Network } from './network.ts';

/** One process behind a balancer. */
export type Backend = { name: string; opsPort: number };

export type Balancer = Awaited<ReturnType<typeof startBalancer>>;

/** Quicker than a Kubernetes Service, where a probe every 10 s is usual: the shorter run has more faults. */
const probeEveryMs = 1_000;
const usualTimeoutMs = 2_000;

/**
 * A small balancer: takes connections on its ports in turn to the backends that are ready. While none is, it tries all, as those of
 * cloud providers do: one that is too slow to say that it is ready may still answer. Connections that are open stay with their backend.
 */
export async function startBalancer(options: {
  network: Network;
  server: string;
  /** The port that it listens on → the backends' ports. */
  listeners: { port: number; portOf: (backend: Backend) => number }[];
  backends: Backend[];
  /** After that time, a process that does not answer its probe is not ready. */
  probeTimeoutMs: number;
}) {
  const { network, server, listeners, backends, probeTimeoutMs } = options;
  const ready = new Set<string>();
  let turn = 0;
  const inTurn = () => {
    turn += 1;
    const found = backends.filter(({ name }) => ready.has(name));
    const some = found.length > 0 ? found : backends;
    return some.map((_, index) => some[(index + turn) % some.length] as Backend);
  };
  for (const { port, portOf } of listeners)
    await network.link({ server, port, clientOf: () => 'anyone', targets: () => inTurn().map(portOf) });

  const probe = async (backend: Backend) => {
    if (await isReady(backend.opsPort, probeTimeoutMs)) ready.add(backend.name);
    else ready.delete(backend.name);
  };
  const timers = backends.map((backend) => {
    let running = false;
    return setInterval(() => {
      if (running) return;
      running = true;
      void probe(backend).finally(() => {
        running = false;
      });
    }, probeEveryMs);
  });
  return {
    /** Names of the backends that answered their last probe. */
    ready: (): string[] => [...ready],
    close: (): void => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Whether the process says that it is ready. */
export function isReady(opsPort: number, timeout = usualTimeoutMs): Promise<boolean> {
  return new Promise((answer) => {
    const options = { host: '127.0.0.1', port: opsPort, path: '/readyz', timeout, agent: false };
    const request = get(options, (response) => {
      response.resume();
      answer(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => answer(false));
  });
}
