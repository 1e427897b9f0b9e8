import { join } from 'node:path';
import type { Place } from '@app/start/infra';
import { createActors, readStack } from './actors.ts';
import { connectDemoProvider, sandbox } from './demo-provider.ts';
import { checkInvoiceEvents, receiveInvoices } from './invoice-flow.ts';
import { check, say, step } from './print.ts';
import { addReceipt, checkPurchaseEvents, orderQuote } from './purchase-flow.ts';
import {
  addContractors,
  closeAndReopen,
  createValidatedTicket,
  finishWork,
  readForPurchasing,
  subscribe,
} from './ticket-flow.ts';
import { type DemoReceiver, startDemoReceiver } from './webhook-receiver.ts';

const statusPath =
  'opened>proposed>waiting_contractor>visit>toplan>validation>validated>intervention>finished>closed>opened';
/** How often each event of the flow happens. */
const expectedTimes = {
  status_changed: statusPath.split('>').length - 1,
  purchase_added: 3,
  invoice_added: 2,
  quote_added: 1,
  visit_date_added: 1,
  intervention_date_added: 1,
  report_added: 1,
  message_added: 1,
  // The document and the order.
  document_added: 2,
};
const waitMs = 60_000;

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
  const times = (name: string) => receiver.events.filter(({ event }) => event === `ticket.${name}`).length;
  await until(() => Object.entries(expectedTimes).every(([name, count]) => times(name) >= count));
  for (const { event, data } of receiver.events) say(`${event} ${JSON.stringify(data).slice(0, 160)}`);
  check(
    receiver.events.every(({ error }) => error === null),
    'every signature verifies',
  );
  const changes = receiver.events
    .filter(({ event }) => event === 'ticket.status_changed')
    .map(({ data }) => data['status'] as { from: string; to: string })
    .map(({ from, to }) => `${from}>${to}`);
  const expected = statusPath
    .split('>')
    .slice(1)
    .map((to, index) => `${statusPath.split('>')[index]}>${to}`);
  check(
    [...changes].sort().join() === [...expected].sort().join(),
    `the status went ${statusPath}, each change reported once`,
  );
  for (const [name, count] of Object.entries(expectedTimes)) {
    check(times(name) === count, `ticket.${name} arrived as often as it happened: ${count}`);
  }
  checkPurchaseEvents(receiver);
  checkInvoiceEvents(receiver);
}

/** Waits for deliveries, which are asynchronous and unordered, up to a limit. */
async function until(done: () => boolean): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!done() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
}
