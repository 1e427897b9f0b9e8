import { join } from 'node:path';
import type { Place } from '@app/start/infra';
import { createActors, readStack } from './actors.ts';
import { connectDemoProvider, sandbox } from './demo-provider.ts';
import { checkInvoiceEvents, receiveInvoices } from './invoice-flow.ts';
import { check, say, step } from './print.ts';
import { addReceipt, checkPurchaseEvents, orderQuote, purchaseEvents } from './purchase-flow.ts';
import {
  addContractors,
  closeAndReopen,
  createValidatedTicket,
  finishWork,
  readForPurchasing,
  subscribe,
} from './ticket-flow.ts';
import { type DemoReceiver, type ReceivedEvent, startDemoReceiver } from './webhook-receiver.ts';

const statusPath =
  'opened>proposed>waiting_contractor>visit>toplan>validation>validated>intervention>finished>closed>opened';
const waitMs = 20_000;

export async function run(_args: string[], { stackDir }: Place): Promise<void> {
  const stack = readStack(stackDir);
  const { host = '127.0.0.1' } = stack;
  const provider = await connectDemoProvider(sandbox, stack.providerSandbox, host);
  const receiver = await startDemoReceiver({ authorityDir: join(stackDir, 'tls'), host });
  try {
    const actors = await createActors(stack);
    await subscribe(actors, receiver);
    const ticketId = await createValidatedTicket(actors, await addContractors(actors));
    const quoteId = await readForPurchasing(actors, ticketId);
    const orderId = await orderQuote(actors, ticketId, quoteId);
    await finishWork(actors, ticketId);
    await addReceipt(actors, ticketId, orderId);
    await receiveInvoices(actors, ticketId, provider);
    await closeAndReopen(actors, ticketId);
    await checkWebhooks(receiver);
  } finally {
    receiver.close();
    await provider.close();
  }
  console.log('\nEverything is as it should be.');
}

/** Checks what the client's endpoint received: signed, each status change once. */
async function checkWebhooks(receiver: DemoReceiver): Promise<void> {
  step('The client’s endpoint received the signed events of it');
  await until(
    () =>
      statuses(receiver.events).length >= statusPath.split('>').length - 1 &&
      purchaseEvents(receiver.events).length >= 3 &&
      receiver.events.filter(({ event }) => event === 'ticket.invoice_added').length >= 2,
  );
  for (const { event, data } of receiver.events) say(`${event} ${JSON.stringify(data).slice(0, 160)}`);
  check(
    receiver.events.every(({ error }) => error === null),
    'every signature verifies',
  );
  const changes = statuses(receiver.events).map(({ from, to }) => `${from}>${to}`);
  const expected = statusPath
    .split('>')
    .slice(1)
    .map((to, index) => `${statusPath.split('>')[index]}>${to}`);
  check(
    [...changes].sort().join() === [...expected].sort().join(),
    `the status went ${statusPath}, each change reported once`,
  );
  const counts = Map.groupBy(receiver.events, ({ event }) => event);
  for (const event of ['quote', 'visit_date', 'intervention_date', 'report', 'message']) {
    check(counts.get(`ticket.${event}_added`)?.length === 1, `ticket.${event}_added arrived once`);
  }
  check(
    counts.get('ticket.document_added')?.length === 2,
    'ticket.document_added arrived for the document and the order',
  );
  checkPurchaseEvents(receiver);
  checkInvoiceEvents(receiver);
}

function statuses(events: ReceivedEvent[]): { from: string; to: string }[] {
  const deliveries = new Map(events.map((event) => [event.delivery, event]));
  return [...deliveries.values()]
    .filter(({ event }) => event === 'ticket.status_changed')
    .map(({ data }) => data['status'] as { from: string; to: string });
}

/** Waits for deliveries, which are asynchronous and unordered, up to a limit. */
async function until(done: () => boolean): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!done() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
}
