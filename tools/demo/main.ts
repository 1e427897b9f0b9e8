import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { castOf, type Stack } from './actors.ts';
import { dailyJob, directory, subscribe, toFinished, toTheEnd, toValidated } from './flow.ts';
import { receiveInvoices, toldOfInvoices } from './invoice-flow.ts';
import { check, DemoFailure, say, step } from './print.ts';
import { demoProvider } from './provider.ts';
import { orderQuote, purchaseEvents, receive, toldOfPurchases } from './purchase-flow.ts';
import { type DemoReceiver, type ReceivedEvent, startDemoReceiver } from './receiver.ts';

const statusPath =
  'opened>proposed>waiting_contractor>visit>toplan>validation>validated>intervention>finished>closed>opened';
const waitMs = 20_000;

async function main(): Promise<void> {
  const stackDir =
    process.env['STACK_DIR'] || join(dirname(dirname(dirname(resolve(process.argv[1] ?? '')))), '.stack');
  const stack = readStack(join(stackDir, 'stack.json'));
  const provider = await demoProvider(stack.providerSandbox);
  const receiver = await startDemoReceiver(join(stackDir, 'tls'));
  try {
    const cast = await castOf(stack);
    await subscribe(cast, receiver);
    const path = await toValidated(cast, await directory(cast));
    const quoteId = await dailyJob(cast, path);
    const orderId = await orderQuote(cast, path, quoteId);
    await toFinished(cast, path);
    await receive(cast, path, orderId);
    await receiveInvoices(cast, path, provider);
    await toTheEnd(cast, path);
    await webhooks(receiver);
  } finally {
    receiver.close();
    await provider.close();
  }
  console.log('\nEverything is as it should be.');
}

/** What the client's endpoint must have received by now, signed, each status change once. */
async function webhooks(receiver: DemoReceiver): Promise<void> {
  step('The client’s endpoint received the signed events of it');
  await until(
    () =>
      statuses(receiver.events).length >= statusPath.split('>').length - 1 &&
      purchaseEvents(receiver.events).length >= 3 &&
      receiver.events.filter(({ event }) => event === 'ticket.invoice_added').length >= 2,
  );
  for (const { event, data } of receiver.events) say(`${event} ${JSON.stringify(data).slice(0, 160)}`);
  check(
    receiver.events.every(({ fault }) => fault === null),
    'every signature verifies',
  );
  const changes = statuses(receiver.events).map(({ from, to }) => `${from}>${to}`);
  const expected = statusPath
    .split('>')
    .slice(1)
    .map((to, index) => `${statusPath.split('>')[index]}>${to}`);
  check(
    [...changes].sort().join() === [...expected].sort().join(),
    `the status went ${statusPath}, each change told once`,
  );
  const counts = Map.groupBy(receiver.events, ({ event }) => event);
  for (const event of ['quote', 'visit_date', 'intervention_date', 'report', 'message']) {
    check(counts.get(`ticket.${event}_added`)?.length === 1, `ticket.${event}_added arrived once`);
  }
  check(
    counts.get('ticket.document_added')?.length === 2,
    'ticket.document_added arrived for the document and the order',
  );
  toldOfPurchases(receiver);
  toldOfInvoices(receiver);
}

function statuses(events: ReceivedEvent[]): { from: string; to: string }[] {
  const deliveries = new Map(events.map((event) => [event.delivery, event]));
  return [...deliveries.values()]
    .filter(({ event }) => event === 'ticket.status_changed')
    .map(({ data }) => data['status'] as { from: string; to: string });
}

/** Deliveries are unordered and come when they come; the demo waits for them, not for ever. */
async function until(done: () => boolean): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!done() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
}

function readStack(path: string): Stack {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Stack;
  } catch {
    throw new DemoFailure(`there is no ${path}: start the platform first, with \`npm start\` in another terminal`);
  }
}

main().catch((error: unknown) => {
  console.error(
    `\n✗ ${error instanceof DemoFailure ? error.message : String(error instanceof Error ? error.stack : error)}`,
  );
  process.exitCode = 1;
});
