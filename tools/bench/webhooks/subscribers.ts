import { newId } from '@app/kernel';
import { bearer, callerOf, internalToken, postJson } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { portOf } from '../harness/servers.ts';
import type { Publisher } from './event-publisher.ts';
import type { Receiver } from './receiver.ts';

/** Who sends to the platform's dispatcher, and who receives from it. */
export type Ends = { publisher: Publisher; receiver: Receiver };

/** Registers endpoints of a new company at these paths of the receiver. @returns the company's id */
export async function createSubscriber({ platform }: Bench, receiver: Receiver, paths: string[]): Promise<string> {
  const companyId = newId();
  const caller = callerOf({ companyId, name: 'Bench webhooks', kind: 'client', userId: newId() });
  const token = await internalToken(platform, { ...caller, via: 'session' });
  const endpoints = `http://127.0.0.1:${portOf(platform, 'webhook-dispatcher')}/webhooks/endpoints`;
  for (const path of paths) {
    const endpoint = { name: 'bench', url: receiver.url(path), events: ['ticket.status_changed'] };
    await postJson(endpoints, endpoint, bearer(token));
  }
  return companyId;
}
