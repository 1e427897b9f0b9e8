import { setTimeout as pause } from 'node:timers/promises';
import { type Account, postJson } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import type { PreparedRequest } from '../harness/load.ts';
import { gatewayPort } from '../harness/platform.ts';
import { startProvider } from '../invoices/bench-provider.ts';
import { addMatchableTickets, createInvoiceDataset, type MatchableTicket } from '../invoices/invoice-dataset.ts';
import { type Operation, purchaseOperations, ticketOperations } from '../tickets/operations.ts';
import { makeTickets } from '../tickets/ticket-pool.ts';
import { startDispatcher } from '../webhooks/own-dispatcher.ts';
import { startReceiver } from '../webhooks/receiver.ts';

export type CountedOperation = {
  name: string;
  /** The databases whose commands count against the aim; none: all. */
  counted: string[];
  /** The most commands that it may take. */
  aim: number;
  /** Carries it out once, the `index`-th time. */
  run(index: number): Promise<unknown>;
};

const arrivesWithinMs = 30_000;
const lookEveryMs = 100;

/** @param times how often each will be carried out */
export async function countedOperations(bench: Bench, account: Account, times: number): Promise<CountedOperation[]> {
  const ids = await makeTickets(bench.platform, account, 2);
  const [moved, bought] = ids.map((id) => ({ bench, account, id })) as [OnTicket, OnTicket];
  return [
    { name: 'ticket creation', counted: [], aim: 6, run: requests(moved, named(ticketOperations, 'creation')) },
    { name: 'status change', counted: [], aim: 8, run: requests(moved, named(ticketOperations, 'status change')) },
    {
      name: 'purchase creation; counted: in the request',
      counted: ['ticket', 'purchase'],
      aim: 5,
      run: requests(bought, named(purchaseOperations, 'creation of a purchase')),
    },
    {
      name: 'invoice, to feedback_pending; counted: in reconciliation',
      counted: ['invoice-reconciliation'],
      aim: 12,
      run: await invoices(bench, account, times),
    },
    { name: 'one event, to one webhook', counted: [], aim: 4, run: await webhooks(bench) },
  ];
}

function named(operations: Operation[], name: string): Operation {
  return operations.find((one) => one.name === name) as Operation;
}

type OnTicket = { bench: Bench; account: Account; id: string };

/** The requests of an operation on the ticket, in turns. */
function requests({ bench, account, id }: OnTicket, { lists }: Operation) {
  const port = gatewayPort(bench.platform);
  const [list = []] = lists({ name: 'gateway', port, token: account.apiToken }, [id]);
  return (index: number) => {
    const request = list[index % list.length] as PreparedRequest;
    return bench.load.run({ port, connections: 1, unit: 1, durationMs: 0, lists: [[request]] });
  };
}

async function invoices(bench: Bench, account: Account, times: number) {
  const { client, platform, progress } = bench;
  const dataset = await createInvoiceDataset(client, account.caller.companyId);
  // Of one supplier, whose account the first invoice confirms.
  const suppliers = dataset.suppliers.slice(0, 1);
  const provider = await startProvider(bench, account);
  const matchables = await addMatchableTickets({ ...dataset, suppliers }, { size: times, name: 'C', progress });
  await provider.connect();
  // Feedback is never answered, so that what follows the answer is not counted.
  await postJson(`${platform.providerSandbox}/admin/faults`, { kind: 'hang', on: '^POST .*/feedback' });
  const stored = client.db('invoice-reconciliation').collection('invoices');
  return async (index: number) => {
    const external_id = `c${index}`;
    await provider.addInvoices([{ id: external_id, matchable: matchables[index] as MatchableTicket, isNamed: true }]);
    await provider.sendWebhooks([external_id]);
    const deadline = performance.now() + arrivesWithinMs;
    while ((await stored.findOne({ client_id: dataset.clientId, external_id }))?.['state'] !== 'feedback_pending') {
      if (performance.now() > deadline) throw new Error(`invoice ${external_id} does not arrive`);
      await pause(lookEveryMs);
    }
  };
}

async function webhooks(bench: Bench) {
  const receiver = await startReceiver(bench.folder);
  bench.onEnd(() => receiver.close());
  const dispatcher = await startDispatcher(bench, receiver, 'bench-commands-');
  const audience = [await dispatcher.createCompany(['/0'])];
  return async (index: number) => {
    await dispatcher.publisher.burst(audience, 1, index);
    await receiver.untilArrived(1, arrivesWithinMs);
    await receiver.takeArrivals();
  };
}
