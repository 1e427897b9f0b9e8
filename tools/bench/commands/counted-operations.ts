import type { Account } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { type PreparedRequest, runLoad } from '../harness/load.ts';
import { gatewayPort } from '../harness/servers.ts';
import { until } from '../harness/until.ts';
import type { BenchProvider } from '../invoices/bench-provider.ts';
import { addMatchableTickets, createInvoiceDataset, type MatchableTicket } from '../invoices/invoice-dataset.ts';
import { type Operation, purchaseOperation, ticketOperations } from '../tickets/operations.ts';
import { makeTickets } from '../tickets/ticket-pool.ts';
import { createSubscriber, type Ends } from '../webhooks/subscribers.ts';

export type CountedOperation = {
  name: string;
  /** The commands that count against the aim. */
  counted: RegExp;
  /** The most commands that it may take. */
  aim: number;
  /** Carries it out once, the `index`-th time. */
  run(index: number): Promise<unknown>;
};

const arrivesWithinMs = 30_000;

type Given = { account: Account; times: number; ends: Ends; provider: BenchProvider };

/** @param times how often each will be carried out before it is counted, and while it is */
export async function countedOperations(
  bench: Bench,
  { account, times, ends, provider }: Given,
): Promise<CountedOperation[]> {
  const ids = await makeTickets(bench.platform, account, times + 1);
  const moved = { bench, account, ids: ids.slice(0, 1) };
  // The first purchase document of a ticket, which marks the ticket, is made before.
  const bought = { bench, account, ids: ids.slice(1) };
  return [
    { name: 'ticket creation', counted: /./, aim: 6, run: requests(moved, named('creation')) },
    { name: 'status change', counted: /./, aim: 8, run: requests(moved, named('status change')) },
    {
      name: 'purchase creation; counted: in the request',
      // The ticket service looks by id alone for what comes by event.
      counted: /^(purchase: |ticket: (?!find \w+ \(_id\)))/,
      aim: 5,
      run: requests(bought, purchaseOperation),
    },
    {
      name: 'invoice, from webhook to feedback sent; counted: in reconciliation',
      counted: /^invoice-reconciliation: /,
      aim: 12,
      run: await invoices(bench, { account, provider, size: 2 * times }),
    },
    { name: 'one event, to one webhook', counted: /./, aim: 4, run: await webhooks(bench, ends) },
  ];
}

function named(name: string): Operation {
  return ticketOperations.find((one) => one.name === name) as Operation;
}

type OnTickets = { bench: Bench; account: Account; ids: string[] };

/** The requests of an operation on the tickets, in turns. */
function requests({ bench, account, ids }: OnTickets, { lists }: Operation) {
  const port = gatewayPort(bench.platform);
  const list = lists({ port, token: account.apiToken }, ids).flat();
  return (index: number) => {
    const request = list[index % list.length] as PreparedRequest;
    return runLoad({ port, connections: 1, unit: 1, durationMs: 0, lists: [[request]] });
  };
}

async function invoices(
  bench: Bench,
  { account, provider, size }: { account: Account; provider: BenchProvider; size: number },
) {
  const { client, progress } = bench;
  const dataset = await createInvoiceDataset(client, account.caller.companyId);
  // Of one supplier, whose account the first invoice confirms.
  const suppliers = dataset.suppliers.slice(0, 1);
  const matchables = await addMatchableTickets({ ...dataset, suppliers }, { size, name: 'C', progress });
  await provider.connect();
  const stored = client.db('invoice-reconciliation').collection('invoices');
  return async (index: number) => {
    const external_id = `c${index}`;
    provider.addInvoices([{ id: external_id, matchable: matchables[index] as MatchableTicket, isNamed: true }]);
    await provider.sendWebhooks([external_id]);
    const own = { client_id: dataset.clientId, external_id };
    const isDone = async () => (await stored.findOne(own))?.['state'] === 'done';
    await until(isDone, arrivesWithinMs, () => `invoice ${external_id} does not arrive`);
  };
}

async function webhooks(bench: Bench, { publisher, receiver }: Ends) {
  const audience = [await createSubscriber(bench, receiver, ['/0'])];
  return async (index: number) => {
    await publisher.burst(audience, 1, index);
    await receiver.takeArrivals(1);
  };
}
