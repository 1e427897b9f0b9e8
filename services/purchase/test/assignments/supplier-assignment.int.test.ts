import { newId } from '@app/kernel';
import { createRelay } from '@app/messaging';
import { eventually, testLogger } from '@app/testing';
import { createAccountStore } from '../../assignments/account-store.ts';
import { createAssignmentStore } from '../../assignments/assignment-store.ts';
import type { Purchase } from '../../purchases/purchase.ts';
import { createPurchaseStore, type PurchaseStore } from '../../purchases/purchase-store.ts';
import { SupplierAssignment } from '../../purchases/supplier-assignment.ts';
import type { FakeTicket } from '../fake-ticket-service.ts';
import { type Client, usePurchases } from '../purchase-service.ts';

const service = usePurchases();
let buyer: Client;
let ticket: FakeTicket;

beforeEach(async () => {
  buyer = service.as();
  ticket = service.tickets.add(buyer.id);
  await assignments().deleteMany({});
});

const assignments = () => service.connection.collection('assignments');
const supplierOf = async (id: string) => (await service.stored({ _id: id }))[0]?.supplier_company_id;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);
const secondsAfter = ({ created_at }: Pick<Purchase, 'created_at'>, seconds: number) =>
  new Date(created_at.getTime() + seconds * 1000);

/** The stores as another replica has them. */
function stores() {
  const { connection, broker } = service;
  const logger = testLogger();
  const purchases = createPurchaseStore({ connection, relay: createRelay({ broker, logger }) });
  const [assignments, accounts] = [createAssignmentStore({ connection }), createAccountStore({ connection })];
  return { purchases, assignments, accounts, logger };
}

/** Addresses documents as it would then. */
function addressingAt(now: Date, more: { sweepEveryMs?: number; purchases?: PurchaseStore } = {}): SupplierAssignment {
  return new SupplierAssignment({ ...stores(), now: () => now, ...more });
}

/** Somebody is assigned to a ticket, at its next version. */
async function assign(on = ticket): Promise<string> {
  on.version += 1;
  const company_id = newId();
  const { id: ticket_id, clientId: client_id, version } = on;
  const assigned = { ticket_id, client_id, version, contractor_id: newId(), company_id };
  await addressingAt(new Date()).onAssigned(assigned, new Date());
  return company_id;
}

/** A document whose process died right after it was written: it was asked for before anybody was assigned. */
async function leftBehind(on = ticket, reference = 'left', slot = 7): Promise<Purchase> {
  const model = (await buyer.create(service.tickets.add(buyer.id).id)).data.purchase;
  const [stored] = await service.stored({ _id: model.id });
  const times = { created_at: new Date(), updated_at: new Date() };
  const left = { ...(stored as Purchase), ...times, _id: newId(), ticket_id: on.id, reference, slot };
  await service.connection.collection('purchases').insertOne(left as never);
  return left;
}

test('a document that a crash left gets the first assigned contractor as supplier, a minute later and once', async () => {
  const before = { created_at: new Date() };
  const first = await assign();
  await assign();
  const left = await leftBehind();
  await addressingAt(secondsAfter(before, 59)).sweep();
  expect(await supplierOf(left._id)).toBeNull();
  await addressingAt(secondsAfter(left, 61)).sweep();
  expect(await supplierOf(left._id)).toBe(first);
  const later = await leftBehind(ticket, 'later', 8);
  await addressingAt(inSeconds(3600)).sweep();
  expect(await supplierOf(later._id)).toBeNull();
});

test('a retry of its create sets the supplier at once', async () => {
  const first = await assign();
  const left = await leftBehind();
  const { status, data } = await buyer.create(ticket.id, { kind: left.kind, reference: left.reference });
  expect([status, data.purchase.supplier_company_id]).toEqual([200, first]);
});

test('a document that a crash left gets the account that its contractor got meanwhile as supplier, a minute later', async () => {
  const before = { created_at: new Date() };
  const [contractor_id, company_id] = [newId(), newId()];
  await addressingAt(new Date()).onLinked({ client_id: buyer.id, contractor_id, company_id }, new Date());
  const left = await leftBehind();
  const frozen = { contractor_id, assignment_version: 1 };
  await service.connection.collection('purchases').updateOne({ _id: left._id as never }, { $set: frozen });
  await addressingAt(secondsAfter(before, 59)).sweep();
  expect(await supplierOf(left._id)).toBeNull();
  await addressingAt(secondsAfter(left, 61)).sweep();
  expect(await supplierOf(left._id)).toBe(company_id);
});

test('documents without a supplier are looked for periodically, from the start on', async () => {
  const addressing = addressingAt(inSeconds(120), { sweepEveryMs: 10 });
  addressing.start();
  for (let round = 0; round < 2; round++) {
    ticket = service.tickets.add(buyer.id);
    const supplier = await assign();
    const left = await leftBehind();
    await assignments().updateMany({}, { $set: { check_at: new Date() } });
    await eventually(async () => expect(await supplierOf(left._id)).toBe(supplier));
  }
  await addressing.stop();
});

test('a ticket that cannot be read delays no others, and stays due', async () => {
  const { purchases } = stores();
  const others = [service.tickets.add(buyer.id), service.tickets.add(buyer.id)] as const;
  await assign();
  const suppliers = [await assign(others[0]), await assign(others[1])];
  const left = [await leftBehind(), await leftBehind(others[0]), await leftBehind(others[1])];
  const unaddressed: PurchaseStore['findWithoutSupplier'] = async (ticketId, buyerId) => {
    if (ticketId === ticket.id) throw new Error('too busy');
    return purchases.findWithoutSupplier(ticketId, buyerId);
  };
  await addressingAt(inSeconds(61), { purchases: { ...purchases, findWithoutSupplier: unaddressed } }).sweep();
  expect(await Promise.all(left.map(({ _id }) => supplierOf(_id)))).toEqual([null, ...suppliers]);
  expect(await assignments().distinct('_id', { check_at: { $exists: true } })).toEqual([ticket.id]);
});

test('an assignment that arrives while its ticket is processed is processed afterwards', async () => {
  await assign();
  const { assignments: store } = stores();
  const [due] = await store.due(inSeconds(61), 10);
  await assignments().updateOne({ _id: ticket.id as never }, { $set: { check_at: inSeconds(90) } });
  await store.checked(due as NonNullable<typeof due>);
  expect((await store.due(inSeconds(120), 10)).map(({ ticketId }) => ticketId)).toEqual([ticket.id]);
});

test('a document gets its supplier at a later time than the assignment, though the clock of tickets is ahead', async () => {
  const { id } = (await buyer.create(ticket.id)).data.purchase;
  const ahead = inSeconds(3600);
  const company_id = newId();
  const assigned = { ticket_id: ticket.id, client_id: ticket.clientId, version: ticket.version + 1 };
  await addressingAt(new Date()).onAssigned({ ...assigned, contractor_id: newId(), company_id }, ahead);
  const [stored] = await service.stored({ _id: id });
  expect(stored).toMatchObject({ supplier_company_id: company_id });
  expect((stored?.updated_at as Date) > ahead).toBe(true);
});
