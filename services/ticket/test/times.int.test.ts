import { invoiceLineChanged, purchaseChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { createRelay, toCloudEvents } from '@app/messaging';
import { eventually, testLogger } from '@app/testing';
import { createInvoiceLineStore } from '../invoices/invoice-line-store.ts';
import { createPurchaseProjectionStore } from '../purchases/purchase-projection-store.ts';
import { aLine } from './invoices/fixtures.ts';
import { idOf, newTicket, pdf, tickets, usePlatform, type WebhookEvent } from './platform.ts';
import { aPurchase, withFile } from './purchases/fixtures.ts';

/** How far the clock of the service is behind. */
let behindMs = 0;
const now = () => new Date(Date.now() - behindMs);

const platform = usePlatform({ now });
beforeEach(() => {
  behindMs = 0;
});

const path = (ticket: string) => `${tickets}/${ticket}`;
const hour = 3_600_000;

async function aTicket() {
  const client = platform.as();
  const worker = await platform.contractorOf(client);
  const ticket = idOf(await newTicket(client));
  const read = async () => (await client.get(path(ticket))).data;
  return { client, worker, ticket, invoice: newId(), read };
}

type Made = Awaited<ReturnType<typeof aTicket>>;

/** The line of an invoice on the view of the client. */
async function lineOf({ client, ticket, invoice, read }: Made) {
  const [view] = (await read()).views;
  return { ...aLine({ client: client.caller.companyId, ticket, view: view._id }), invoice_id: invoice };
}

/** Everything that a request changes on a ticket, one after the other, and the events that are published for it. */
function steps(made: Made) {
  const { client, worker, ticket, invoice, read } = made;
  const at = path(ticket);
  const parties = { ticket, buyer: client.caller.companyId, supplier: worker.caller.companyId };
  const file = withFile(aPurchase(parties));
  const push = (all: object) => client.put('/internal/purchases', { purchases: [all] });
  const line = async (given: object = {}) =>
    client.put(`/internal/tickets/${ticket}/invoice-lines/${invoice}`, { ...(await lineOf(made)), ...given });
  const date = (type: string) => ({ start: Date.now() + hour, end: Date.now() + 2 * hour, type });
  const rows: [string, () => Promise<{ status: number }>, string[]][] = [
    [
      'a proposal',
      () => client.post(`${at}/propose`, { contractor_ids: [worker.id] }),
      ['status_changed', 'status_changed'],
    ],
    ['an acceptance', () => worker.post(`${at}/accept`), ['status_changed']],
    ['a note', () => worker.post(`${at}/notes`, { note: 'Tuesday', type: 'public' }), ['message_added']],
    ['a document', () => client.upload(`${at}/documents`, {}, pdf), ['document_added']],
    [
      'a quote',
      () => worker.upload(`${at}/quotes`, { reference: 'D-1', price: '10' }, pdf),
      ['quote_added', 'status_changed'],
    ],
    [
      'a quote declined',
      async () => client.put(`${at}/quotes/${(await read()).quotes[0]._id}/decline`),
      ['status_changed'],
    ],
    ['a purchase order', () => push({ purchase: file.purchase }), []],
    ['its file', () => push(file), ['document_added']],
    ['its deletion', () => push({ purchase: { ...file.purchase, version: 3, deleted: true } }), []],
    ['an invoice line', () => line(), ['invoice_added']],
    ['a removed invoice line', () => line({ version: 2, line: null }), []],
    [
      'a planned date',
      () => client.post(`${at}/dates`, date('planned')),
      ['intervention_date_added', 'status_changed'],
    ],
    ['a date that is moved', () => client.post(`${at}/reschedule`), ['status_changed']],
    ['a report', () => worker.upload(`${at}/reports`, {}, pdf), ['report_added']],
    [
      'a cancellation with its reason',
      () => client.put(`${at}/cancel`, { reason_cancel: 'Sold' }),
      ['message_added', 'status_changed'],
    ],
    ['a reopening', () => client.post(`${at}/open`), ['status_changed']],
  ];
  return rows;
}

function eventsOf(ticket: string): WebhookEvent[] {
  return platform.webhookEvents.filter(({ payload }) => (payload['ticket'] as { id: string }).id === ticket);
}

test('every change of a ticket advances updated_at, which is the time of its event, though the clock goes back each time', async () => {
  const made = await aTicket();
  let last = (await made.read()).updated_at as string;
  for (const [name, act, types] of steps(made)) {
    const before = eventsOf(made.ticket).length;
    behindMs += hour;
    const { status } = await act();
    expect([name, status < 300]).toEqual([name, true]);
    const { updated_at } = await made.read();
    expect([name, updated_at > last]).toEqual([name, true]);
    await eventually(() => {
      const published = eventsOf(made.ticket)
        .slice(before)
        .map(({ type }) => type.replace(/^ticket\.|\.v1$/g, ''));
      expect([name, published.sort()]).toEqual([name, types]);
    });
    for (const { time } of eventsOf(made.ticket).slice(before)) {
      expect([name, time > last, time <= updated_at]).toEqual([name, true, true]);
    }
    last = updated_at;
  }
});

test('a list by updated_after finds a ticket by its note, document, purchase document or invoice line', async () => {
  const made = await aTicket();
  const found = async (after: string) =>
    (await made.client.get(`${tickets}?updated_after=${Date.parse(after)}`)).data.tickets.length;
  const wanted = ['a note', 'a document', 'a purchase order', 'an invoice line', 'a removed invoice line'];
  const added = steps(made).filter(([name]) => ['a proposal', 'an acceptance', ...wanted].includes(name));
  for (const [name, act] of added) {
    const { updated_at } = await made.read();
    expect([name, await found(updated_at)]).toEqual([name, 0]);
    await act();
    expect([name, await found(updated_at)]).toEqual([name, 1]);
  }
});

test('what is pushed twice, or delivered as an event again, changes updated_at once', async () => {
  const made = await aTicket();
  const { client, ticket, invoice, read } = made;
  const purchase = aPurchase({ ticket, buyer: client.caller.companyId });
  const line = await lineOf(made);
  const hand = async () => {
    await client.put('/internal/purchases', { purchases: [{ purchase }] });
    await client.put(`/internal/tickets/${ticket}/invoice-lines/${invoice}`, line);
    return (await read()).updated_at;
  };
  expect(await hand()).toBe(await hand());
});

test('after a crash between an item and its ticket, the event of the item updates the ticket', async () => {
  const made = await aTicket();
  const { client, ticket, read } = made;
  const { connection, broker } = platform;
  const relay = createRelay({ broker: { publish: async () => undefined }, logger: testLogger() });
  const at = new Date(Date.now() + hour);
  const parties = { ticket, buyer: client.caller.companyId };
  const purchase = aPurchase(parties, { updated_at: at.toISOString() });
  const line = await lineOf(made);
  const [order, linked] = [purchaseChanged({ purchase }, at, purchase.id), invoiceLineChanged(line, at, made.invoice)];
  const rows: [string, () => Promise<unknown>, Parameters<typeof toCloudEvents>[1][number]][] = [
    ['purchase', () => createPurchaseProjectionStore({ connection }).upsertIfNewer(purchase), order],
    [
      'line',
      () =>
        createInvoiceLineStore({ connection, relay }).saveIfNewer(line, {
          at: new Date(at.getTime() + hour),
          events: () => [],
        }),
      linked,
    ],
  ];
  for (const [name, keep, event] of rows) {
    const { updated_at } = await read();
    await keep();
    expect([name, (await read()).updated_at]).toEqual([name, updated_at]);
    await broker.publish(toCloudEvents('test', [event]));
    await eventually(async () => expect([name, (await read()).updated_at > updated_at]).toEqual([name, true]));
  }
});
