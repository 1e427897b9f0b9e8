import { newId } from '@app/kernel';
import { bearer, callerOf, internalToken, postJson } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { makeRoomFor, startOwnService } from '../harness/servers.ts';
import { openPublisher, type Publisher } from './event-publisher.ts';
import type { Receiver } from './receiver.ts';

/** A dispatcher beside the platform's, and the publisher of its events. */
export type OwnDispatcher = {
  pid: number;
  publisher: Publisher;
  /** Registers endpoints of a new company at these paths of the receiver. @returns the company's id */
  createCompany(paths: string[]): Promise<string>;
  stop(): Promise<void>;
};

const subscribed = ['ticket.status_changed'];

/** @param fill writes its database before it starts */
export async function startDispatcher(
  bench: Bench,
  receiver: Receiver,
  namespace: string,
  fill?: () => Promise<void>,
): Promise<OwnDispatcher> {
  const { platform } = bench;
  const service = { name: 'webhook-dispatcher', namespace } as const;
  await makeRoomFor(bench, service);
  await fill?.();
  const { port, running } = await startOwnService(bench, service, {
    CREDENTIALS_KEYS: platform.keys['CREDENTIALS_KEYS'],
    NODE_EXTRA_CA_CERTS: receiver.certFile,
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  });
  const publisher = await openPublisher(platform.amqp, namespace);
  bench.onEnd(publisher.close);
  return {
    pid: running.pid,
    publisher,
    stop: running.stop,
    async createCompany(paths) {
      const companyId = newId();
      const caller = callerOf({ companyId, name: 'Bench webhooks', kind: 'client', userId: newId() });
      const token = await internalToken(platform, { ...caller, via: 'session' });
      const endpoints = `http://127.0.0.1:${port}/webhooks/endpoints`;
      for (const path of paths) {
        const endpoint = { name: 'bench', url: receiver.url(path), events: subscribed };
        await postJson(endpoints, endpoint, bearer(token));
      }
      return companyId;
    },
  };
}
