import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@app/demo';
import { examples, newWorld, type World } from '../e2e/every-operation/idempotency-examples.ts';
import { ok, pdfForm } from '../e2e/platform.ts';
import type { Ledger } from '../faults/load/ledger.ts';

type Options = {
  /** The names of the operations that may be called. */
  known: Set<string>;
  ledger: Ledger;
  random: Random;
  /** Whether an answer, by its status and code, says only that the machine is slow. */
  isLate: (seen: string) => boolean;
};

export type OperationsLoad = ReturnType<typeof startOperationsLoad>;

const betweenMs = 300;
/** They let the platform call an address on the internet. */
const callsOut = /^ts POST \/webhooks\/endpoints\/\{id\}/;

/**
 * One new company after the other tries every example of the APIs that the version before has as well,
 * and works through a whole job: what the load of tests/faults leaves out. An operation that is new
 * in this version is not called: it has no caller until every process has this version.
 */
export function startOperationsLoad({ known, ledger, random, isLate }: Options) {
  const names = Object.keys(examples).filter((name) => known.has(name) && !callsOut.test(name));
  let stopped = false;
  let done = 0;

  async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      done += 1;
    } catch (error) {
      const { message } = error as Error;
      const [, status, code] = / answered (\d{3}): .*"code":"(\w+)"/.exec(message) ?? [];
      const seen = `${status} ${code}`;
      if (isLate(seen)) ledger.count(seen);
      else ledger.violate(`${name}: ${message}`);
    }
  }

  async function beNewcomer(): Promise<void> {
    const world = await newWorld();
    const left = names.map((name) => ({ name, at: random.next() })).sort((a, b) => a.at - b.at);
    await attempt('a whole job', () => wholeJob(world));
    for (const { name } of left) {
      if (stopped) return;
      await attempt(name, () => callExample(name, world));
    }
  }

  async function work(): Promise<void> {
    while (!stopped) {
      await attempt('a newcomer', beNewcomer);
      await delay(betweenMs);
    }
  }

  const working = work();
  return {
    /** How many operations have succeeded. */
    done: (): number => done,
    async stop(): Promise<void> {
      stopped = true;
      await working;
    },
  };
}

async function callExample(name: string, world: World): Promise<void> {
  const { call, path, body } = await (examples[name] as (typeof examples)[string])(world);
  await ok(call(`${name.split(' ')[1]} ${path}`, body()));
}

/** From a proposal to a closed ticket, with what is read in between. */
async function wholeJob({ owner, contractor }: World): Promise<void> {
  const api = async (who: Pick<World['owner'], 'api'>, line: string, body?: unknown) =>
    (await ok(who.api(line, body))).data;
  const { ticket_id: id } = await api(owner, 'POST /tickets', { title: 'Cold room too warm' });
  const ticket = `/tickets/${id}`;
  await api(owner, `POST ${ticket}/propose`, { contractor_ids: [contractor.id] });
  await api(contractor, `POST ${ticket}/accept`);
  const { quote } = await api(contractor, `POST ${ticket}/quotes`, pdfForm({ reference: 'D-1', price: '1284.5' }));
  await api(owner, `PUT ${ticket}/quotes/${quote._id}/validate`);
  const order = { kind: 'purchase_order', reference: 'BC-1', quote_id: quote._id, amount: 1284.5 };
  const { purchase } = await api(owner, `POST ${ticket}/purchases`, order);
  await api(owner, `PATCH ${ticket}/purchases/${purchase.id}`, { amount: 1300 });
  const [start, end] = [Date.now() + 3_600_000, Date.now() + 7_200_000];
  await api(contractor, `POST ${ticket}/dates`, { type: 'planned', start, end });
  await api(contractor, `POST ${ticket}/dates`, { type: 'actual', start, end });
  const receipt = { kind: 'goods_receipt', reference: 'BR-1', purchase_order_id: purchase.id };
  await api(owner, `POST ${ticket}/purchases`, receipt);
  await api(owner, `PUT ${ticket}/close`);
  const { status, purchases, quotes } = await api(owner, `GET ${ticket}`);
  if (status !== 'closed' || purchases.length !== 2 || quotes.length !== 1)
    throw new Error(`${ticket} is ${status}, with ${purchases.length} purchases and ${quotes.length} quotes`);
  await api(contractor, `GET ${ticket}`);
  await api(owner, 'GET /tickets?status=closed');
}
