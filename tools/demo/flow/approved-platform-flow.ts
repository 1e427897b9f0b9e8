import { randomBytes, randomUUID } from 'node:crypto';
import type { TicketSchemas, TsSchemas } from '@app/api-client';
import type { Place } from '@app/start/infra';
import { type Actors, createActors, readStack } from './actors.ts';
import { approvedPlatform, connectDemoProvider, type DemoProvider } from './demo-provider.ts';
import { check, DemoFailure, ok, say, step, until } from './print.ts';
import { orderQuote } from './purchase-flow.ts';
import { addContractors, createValidatedTicket, finishWork, readForPurchasing } from './ticket-flow.ts';

type Run = {
  actors: Actors;
  platform: DemoProvider;
  client: { clientId: string; clientSecret: string };
  ticketId: string;
  connectionId: string;
  /** The flow of the invoice, once it is there. */
  flowIds: string[];
};

/** What happens once the company is connected, in this order. */
const steps: Record<string, (run: Run) => Promise<void>> = {
  'An invoice arrives by a signed callback, and is matched by its order': matchedInvoice,
  'Its supplier is told that it is taken in charge (204), by a life-cycle message that the platform checks':
    takenInCharge,
  'An accountant approves it (205), and the ERP tells that it was paid (211)': approvedAndPaid,
  'The supplier says that the money is there (212), and the invoice shows it': cashed,
  'Another invoice is disputed (207), since too much was billed, and then refused (210)': disputedAndRefused,
  'The same callback again, and one with a wrong signature, change nothing': repeatedAndForged,
  'Disconnected, the platform has no subscription any more': disconnected,
};

export const usage = `Usage: npm run demo -- approved-platform

Invoices that arrive through a French approved platform (plateforme agréée, XP Z12-013), on the running platform: with npm start,
the one of tools/demo/approved-platform answers already; else it is started at the address that the platform calls.`;

export async function run(_args: string[], { stackDir }: Place): Promise<void> {
  const stack = readStack(stackDir);
  const { host = '127.0.0.1', approvedPlatform: address } = stack;
  if (!address) throw new DemoFailure('the platform calls no approved platform: PROVIDER_AFNOR_URL is not set');
  const platform = await connectDemoProvider(approvedPlatform, address, host);
  try {
    const actors = await createActors(stack);
    const ticketId = await createValidatedTicket(actors, await addContractors(actors));
    await orderQuote(actors, ticketId, await readForPurchasing(actors, ticketId));
    await finishWork(actors, ticketId);
    const client = { clientId: randomUUID(), clientSecret: randomBytes(24).toString('base64url') };
    const connectionId = await connect(actors, platform, client);
    const given = { actors, platform, client, ticketId, connectionId, flowIds: [] };
    for (const [title, take] of Object.entries(steps)) {
      step(title);
      await take(given);
    }
  } finally {
    await platform.close();
  }
  console.log('\nEverything is as it should be.');
}

async function connect({ operator }: Actors, { admin }: DemoProvider, client: Run['client']): Promise<string> {
  step('The client connects its approved platform: an OAuth2 client goes in, and its secret never comes out');
  await admin('POST /admin/clients', client);
  const body = { provider: 'afnor', oauthClientId: client.clientId, oauthClientSecret: client.clientSecret };
  const { id } = await ok(operator.POST('/invoice-connections', { body }));
  const own = async () => {
    const connection = (await ok(operator.GET('/invoice-connections'))).find((one) => one.id === id);
    if (!connection) throw new DemoFailure('the connection is gone');
    return connection;
  };
  const connection = await until(own, ({ hasSubscription }) => hasSubscription);
  check(connection.hasSubscription, 'it subscribed to the platform’s callbacks by itself');
  check(!JSON.stringify(connection).includes(client.clientSecret), 'it does not show the secret');
  return id;
}

async function matchedInvoice({ actors, ticketId, platform, client, flowIds }: Run): Promise<void> {
  const lines = [{ label: 'Valve replaced', cents: 123_456 }];
  const site = { name: 'Headquarters', street: '', postcode: '69003', city: 'Lyon' };
  const invoice = { number: 'FA-2026-0201', order: 'BC-2026-0042', lines, site };
  const added = await platform.admin('POST /admin/invoices', { organization: client.clientId, invoice });
  flowIds.push((added['flow'] as { flowId: string }).flowId);
  const [callback] = added['callbacks'] as { status: number }[];
  check(callback?.status === 200, 'the platform of tickets took the signed callback');
  const [line] = await until(
    () => linesOf(actors, ticketId),
    (all) => all.length > 0,
  );
  check(line?.reference === 'FA-2026-0201' && line.price === '1234.56', 'it is a line of the ticket, without VAT');
}

type Sent = {
  clientId: string;
  subject: { number: string; status: string } | null;
  verdict: { status: string; details?: { item: string; reasonMessage: string }[] };
};

async function takenInCharge(run: Run): Promise<void> {
  await accepted(run, { id: await invoiceOnTicket(run), number: 'FA-2026-0201' }, ['taken_in_charge', '204']);
}

async function approvedAndPaid(run: Run): Promise<void> {
  const invoice = { id: await invoiceOnTicket(run), number: 'FA-2026-0201' };
  await tell(run.actors, invoice.id, { status: 'approved' });
  await accepted(run, invoice, ['approved', '205']);
  const date = new Date().toISOString().slice(0, 10);
  await tell(run.actors, invoice.id, { status: 'payment_sent', amount: 1481.47, date });
  await accepted(run, invoice, ['payment_sent', '211']);
}

async function invoiceOnTicket({ actors, ticketId }: Run): Promise<string> {
  const [line] = await linesOf(actors, ticketId);
  return line?.invoice_id ?? '';
}

async function disputedAndRefused(run: Run): Promise<void> {
  const { actors, platform, client } = run;
  const lines = [{ label: 'Valve replaced, and much more', cents: 999_900 }];
  const invoice = { number: 'FA-2026-0202', lines };
  await platform.admin('POST /admin/invoices', { organization: client.clientId, invoice });
  const queued = async () => (await ok(actors.operator.GET('/invoices'))).items;
  const waiting = (await until(queued, (all) => all.some((one) => one.number === invoice.number))).find(
    (one) => one.number === invoice.number,
  );
  if (!waiting) throw new DemoFailure('the invoice does not wait for a person');
  await tell(actors, waiting.id, { status: 'disputed', reason: 'unit_price', note: 'The quote says 1,234.56.' });
  await accepted(run, waiting, ['disputed', '207']);
  await tell(actors, waiting.id, { status: 'refused', reason: 'order', note: 'Nobody ordered that.' });
  await accepted(run, waiting, ['refused', '210']);
}

type ToldStatus = TsSchemas['Invoice']['supplierStatus']['told'][number];
type Told = {
  status: Exclude<ToldStatus['status'], 'taken_in_charge'>;
  reason?: ToldStatus['reason'];
  note?: string;
  amount?: number;
  date?: string;
};

async function tell({ operator }: Actors, id: string, body: Told): Promise<void> {
  await ok(operator.POST('/invoices/{id}/status', { params: { path: { id } }, body }));
}

/** Waits until the platform has a life-cycle message of that code about the invoice, and the invoice says that it was accepted. */
async function accepted(
  { actors, platform, client }: Run,
  { id, number }: { id: string; number: string | null },
  [status, code]: [ToldStatus['status'], string],
): Promise<void> {
  const sent = async () => {
    const { flows } = (await platform.admin('GET /admin/received')) as { flows: Sent[] };
    return flows.find(
      ({ clientId, subject }) => clientId === client.clientId && subject?.number === number && subject.status === code,
    );
  };
  const message = await until(sent, (one) => one !== undefined);
  for (const { item, reasonMessage } of message?.verdict.details ?? []) say(`${item}: ${reasonMessage}`);
  check(message?.verdict.status === 'Ok', `the platform acknowledged status ${code}`);
  const told = async () => {
    const { supplierStatus } = await ok(actors.operator.GET('/invoices/{id}', { params: { path: { id } } }));
    return supplierStatus.told.findLast((one) => one.status === status)?.result;
  };
  check((await until(told, (result) => result !== 'pending')) === 'accepted', 'and the invoice says so');
}

async function cashed({ actors, ticketId, platform, client, flowIds: [invoiceFlowId] }: Run): Promise<void> {
  const amounts = [{ typeCode: 'MEN', amount: '1481.47', percent: '20.00' }];
  const lifeCycle = { organization: client.clientId, invoiceFlowId, status: '212', amounts };
  await platform.admin('POST /admin/life-cycles', lifeCycle);
  const [line] = await linesOf(actors, ticketId);
  const params = { path: { id: line?.invoice_id ?? '' } };
  const { receivedStatuses } = await until(
    () => ok(actors.operator.GET('/invoices/{id}', { params })),
    (invoice) => invoice.receivedStatuses.length > 0,
  );
  check(receivedStatuses.map(({ status }) => status).join() === '212', 'it has the status');
}

async function repeatedAndForged(given: Run): Promise<void> {
  check((await callBack(given, { times: 2 })).join() === '200,200', 'what comes again is taken');
  check((await callBack(given, { signature: 'wrong' })).join() === '401', 'what is forged is refused');
  check((await callBack(given, { ageSeconds: 3_600 })).join() === '401', 'and so is what is an hour old');
  check((await linesOf(given.actors, given.ticketId)).length === 1, 'the ticket has one line');
}

async function disconnected(given: Run): Promise<void> {
  const params = { path: { id: given.connectionId } };
  const { response } = await given.actors.operator.DELETE('/invoice-connections/{id}', { params });
  check(response.status === 204, 'the connection is gone');
  const called = await until(
    () => callBack(given, {}),
    (all) => all.length === 0,
  );
  check(called.length === 0, 'and so is its subscription');
}

async function linesOf({ purchasing }: Actors, ticket_id: string): Promise<TicketSchemas['TicketInvoice'][]> {
  return (await ok(purchasing.GET('/api/v3.0/tickets/{ticket_id}', { params: { path: { ticket_id } } }))).invoices;
}

/** Sends callbacks of the invoice again. @returns how each was answered */
async function callBack({ platform, flowIds }: Run, how: object): Promise<number[]> {
  const { callbacks } = await platform.admin('POST /admin/callbacks', { flowIds, ...how });
  return (callbacks as { status: number }[]).map(({ status }) => status);
}
