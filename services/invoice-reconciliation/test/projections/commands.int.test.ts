import {
  contractorChanged,
  type EventType,
  type InvoiceFetched,
  invoiceFetched,
  invoiceGone,
  invoiceLineChanged,
  purchaseChanged,
  type TicketSnapshot,
  ticketChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { localRead } from '@app/runtime';
import { eventually, profiled } from '@app/testing';
import type { Invoice } from '../../invoices/invoice.ts';
import { odd, useService, useWorld } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket } from '../snapshots.ts';

// Background work runs only if a test starts it.
const service = useService({ settings: { rematchDelayMs: 600_000, pollEveryMs: 600_000, concurrency: 1 } });
const world = useWorld(service);

/**
 * The commands that the database got, as verb and collection, without those of the relay, the
 * storage and the lookup of companies.
 */
async function commands(work: () => Promise<unknown>): Promise<string[]> {
  const done = await profiled(service, work);
  return done
    .filter(({ command }) => !JSON.stringify(command).match(/outbox\.|\$pull/))
    .filter(({ ns }) => !/\.(company_projections|fs\.\w+)$/.test(ns))
    .map(({ op, ns }) => `${op} ${ns.slice(ns.indexOf('.') + 1)}`);
}

const commandsOf = <T>(type: EventType<T>, ...data: T[]) => commands(() => service.settle(type, ...data));

const old = ['query ticket_projections'];

test('a snapshot of a ticket costs two commands, one if it is repeated or outdated', async () => {
  const ticket = aTicket(world.contractor);
  expect(await commandsOf(ticketChanged, { ticket })).toEqual([
    'query ticket_projections',
    'insert ticket_projections',
  ]);
  const later = { ticket: { ...ticket, version: 3, title: 'other' } };
  expect(await commandsOf(ticketChanged, later)).toEqual(['query ticket_projections', 'update ticket_projections']);
  expect(await commandsOf(ticketChanged, later)).toEqual(old);
  expect(await commandsOf(ticketChanged, { ticket: { ...ticket, version: 2 } })).toEqual(old);
  expect(await service.ticketProjection(ticket.id)).toMatchObject({ version: 3, ticket: later.ticket });
});

test('a purchase document costs three commands, repeated two', async () => {
  const ticket = aTicket(world.contractor);
  const purchase = anOrder(ticket);
  await commandsOf(ticketChanged, { ticket });
  const way = ['query ticket_projections', 'query purchase_projections', 'update ticket_projections'];
  expect(await commandsOf(purchaseChanged, { purchase })).toEqual(way);
  expect(await commandsOf(purchaseChanged, { purchase })).toEqual(old);
  expect(await commandsOf(purchaseChanged, { purchase: { ...purchase, version: 2, amount: 3 } })).toEqual(way);
  expect(await commandsOf(purchaseChanged, { purchase })).toEqual(old);
  expect(await service.ticketProjection(ticket.id)).toMatchObject({ purchases: [{ version: 2, amount: 3 }] });
});

test('a redelivery completes a purchase document that a crash left outside its ticket', async () => {
  const ticket = aTicket(world.contractor);
  const [early, late] = [anOrder(ticket), anOrder(ticket)];
  const left = (snapshot: typeof early) =>
    service.connection
      .collection('purchase_projections')
      .insertOne({ _id: snapshot.id as never, version: snapshot.version, ticket_id: ticket.id, snapshot });
  await left(early);
  await commandsOf(purchaseChanged, { purchase: early });
  await commandsOf(ticketChanged, { ticket });
  await left(late);
  await commandsOf(purchaseChanged, { purchase: late });
  const projection = await service.ticketProjection(ticket.id);
  expect(projection).toMatchObject({
    version: 1,
    rematch_revision: expect.any(Number),
    purchases: [{ id: early.id }, { id: late.id }],
  });
});

const terms = { price: '7.00', includes_vat: false, contractor_id: newId(), validated_at: null };
const quote = { id: newId(), reference: 'DEV-1', ...terms };

test.each<[string, Partial<TicketSnapshot> | ((ticket: TicketSnapshot) => Partial<TicketSnapshot>), boolean]>([
  ['a status that is worth the same', { status: 'closed' }, false],
  ['the status of a view', ({ views }) => ({ views: views.map((view) => ({ ...view, status: 'closed' })) }), false],
  ['another day of the last change', { updated_at: '2026-11-11T08:00:00.000Z' }, false],
  ['a status that is worth more', { status: 'intervention' }, true],
  ['another number', { number: 'T-X' }, true],
  ['a quote', { quotes: [{ ...quote, status: 'validated' }] }, true],
  ['its intervention', { last_intervention_at: '2026-11-10T08:00:00.000Z' }, true],
  ['the end of it', { status: 'removed' }, true],
])('a ticket becomes dirty if something that matching reads changes: %s', async (what, change, isRead) => {
  const ticket = aTicket(world.contractor);
  const given = typeof change === 'function' ? change(ticket) : change;
  await commandsOf(ticketChanged, { ticket });
  await service.app.worker.runOnce();
  await commandsOf(ticketChanged, { ticket: { ...ticket, version: 2, ...given } });
  const projection = await service.ticketProjection(ticket.id);
  expect([what, projection?.version, projection?.rematch_revision !== undefined]).toEqual([what, 2, isRead]);
});

/** Publishes events that end with an invoice on its ticket, and waits until its line is handled. */
const linked = (...events: InvoiceFetched[]) =>
  commands(async () => {
    const lines = () => service.events.filter(({ type }) => type === invoiceLineChanged.type);
    const count = () => lines().filter(({ id }) => service.handled.has(id)).length;
    const before = count();
    await service.publish(invoiceFetched, ...events);
    await eventually(() => expect(count()).toBe(before + 1));
  });

test('an invoice that names its order costs seven commands besides reading its payload, one more with an IBAN, five with a first one; repeated two', async () => {
  const payloads: InvoiceFetched[] = [];
  const account = 'FR7630006000011234567890189';
  for (const iban of [null, account, account, null]) {
    const ticket = aTicket(world.contractor);
    const purchase = anOrder(ticket);
    await commandsOf(ticketChanged, { ticket });
    await commandsOf(purchaseChanged, { purchase });
    const supplier = { name: 'Froid Service', siren: world.contractor.siren, siret: world.contractor.siret, iban };
    payloads.push(await service.payload(world.id, { references: { purchase_order: purchase.reference }, supplier }));
  }
  const [plain, first, withIban, next] = payloads as [InvoiceFetched, InvoiceFetched, InvoiceFetched, InvoiceFetched];
  const way = [
    'command invoices',
    'query contractor_projections',
    'query invoices',
    'query invoices',
    'query invoices',
    'query ticket_projections',
    'insert invoices',
    // Others that may belong to the ticket.
    'query invoices',
  ].sort();
  const withoutIban = way.filter((one) => one !== 'command invoices');
  expect((await linked(plain)).sort()).toEqual(withoutIban);
  // Whose account it is, too; and both once more after its claim, since another one may have been first meanwhile.
  const claimed = ['query invoices', 'command invoices', 'command invoices'];
  expect((await linked(first)).sort()).toEqual([...way, 'command invoices', ...claimed].sort());
  expect((await linked(withIban)).sort()).toEqual(way);
  expect((await linked(plain, next)).sort()).toEqual([...withoutIban, 'query invoices'].sort());
});

test('outdated content and an outdated deletion change nothing', async () => {
  const external_id = newId();
  const fetched = (sequence: number) => service.payload(world.id, { amounts: odd }, { external_id, sequence });
  const { provider } = await service.ingest(world.id, { amounts: odd }, { external_id, sequence: 7 });
  const writes = (done: string[]) => done.filter((one) => !one.startsWith('query'));
  expect(writes(await commandsOf(invoiceFetched, await fetched(6)))).toEqual([]);
  const gone = { at: new Date(0).toISOString(), sequence: 1, client_id: world.id, provider, external_id };
  expect(writes(await commandsOf(invoiceGone, gone))).toEqual([]);
});

test('changed tickets are processed together, and a crash forgets none', async () => {
  const own = await service.world();
  const invoice = await service.ingest(own.id, { amounts: odd });
  await service.app.worker.runOnce();
  const marked = { _id: invoice._id as never };
  await service.connection.collection('invoices').updateOne(marked, { $set: { rematch_at: null } });
  const tickets = Array.from({ length: 20 }, () => ({ ticket: aTicket(own.contractor) }));
  await service.settle(ticketChanged, ...tickets);
  expect(
    await service.connection.collection('ticket_projections').countDocuments({ rematch_revision: { $gt: 0 } }),
  ).toBe(20);
  const done = await commands(() => service.app.worker.runOnce());
  expect(done.filter((one) => one === 'update invoices')).toHaveLength(1);
  expect(done.length).toBeLessThan(20 + 10);
  // The marks are removed without waiting for a majority.
  const copies = service.connection.collection('ticket_projections');
  expect(await copies.countDocuments({ rematch_revision: { $gt: 0 } }, localRead)).toBe(0);
  await eventually(async () => expect((await service.invoice(invoice))?.rematch_at).not.toBeNull());
});

test('a SIRET that becomes known marks every invoice that waits for its supplier, however many', async () => {
  const { id } = await service.world();
  const supplier = { name: 'Autre', siren: '552100554' };
  const first = (await service.ingest(id, { amounts: odd, supplier })) as Invoice & { outbox?: unknown };
  const { outbox: _sent, ...waiting } = first;
  const clones = Array.from({ length: 300 }, () => ({
    ...waiting,
    _id: newId(),
    external_id: newId(),
    claims: [],
    rematch_at: null,
    keys: { ...waiting.keys, lookupKeys: [newId()] },
  }));
  const invoices = service.connection.collection<Invoice>('invoices');
  await invoices.insertMany(clones as never);
  const contractor = aContractor(id, { siren: '552100554', siret: '55210055400013' });
  const done = await commandsOf(contractorChanged, { contractor });
  expect(await invoices.countDocuments({ client_id: id, rematch_at: null })).toBe(0);
  expect(done.filter((one) => one === 'update invoices').length).toBeLessThan(3);
});
