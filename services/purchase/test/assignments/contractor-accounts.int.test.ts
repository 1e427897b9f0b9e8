import { contractorLinked } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import type { FakeTicket } from '../fake-ticket-service.ts';
import { type Client, type Purchases, startPurchases } from '../purchase-service.ts';
import { assignmentsOf } from './assignments.ts';

let service: Purchases;
let buyer: Client;
let ticket: FakeTicket;

beforeAll(async () => {
  service = await startPurchases();
});
beforeEach(() => {
  buyer = service.as();
  ticket = service.tickets.add(buyer.id);
  service.tickets.asked = async () => {};
});
afterAll(() => service.drop());

const { assign, assignContractor, waitForAssignment, allHandled, supplierOf, create, additions } = assignmentsOf(
  () => ({ service, buyer, ticket }),
);

describe('a contractor without account', () => {
  const [withoutAccount, competitor] = [newId(), newId()];

  test.each([
    ['was assigned before', async () => assignContractor(withoutAccount), async () => undefined],
    ['is assigned after', async () => undefined, async () => assignContractor(withoutAccount)],
  ])('a contractor that %s an order was made keeps it from the next one', async (_when, before, after) => {
    await before();
    const order = await create();
    await after();
    await waitForAssignment(ticket.version);
    await assign(competitor);
    const later = await create();
    expect(later.supplier_company_id).toBe(competitor);
    await allHandled();
    expect([await supplierOf(order.id), additions(order.id).map(({ data }) => data.audience)]).toEqual([
      null,
      [[buyer.id]],
    ]);
    const { data } = await buyer.attach(ticket.id, order.id);
    expect([data.purchase.supplier_company_id, service.tickets.pushed.at(-1)?.document?.supplier_company_id]).toEqual([
      null,
      null,
    ]);
  });

  test.each([
    ['was assigned before', async () => assignContractor(withoutAccount), async () => undefined],
    ['is assigned after', async () => undefined, async () => assignContractor(withoutAccount)],
  ])('a contractor that %s an order was made gets it with its account', async (_when, before, after) => {
    await before();
    const order = await create();
    await after();
    await waitForAssignment(ticket.version);
    const company = newId();
    await assignContractor(withoutAccount, company);
    await eventually(async () => {
      expect(await supplierOf(order.id)).toBe(company);
      expect(additions(order.id).map(({ data }) => data.audience)).toEqual(
        expect.arrayContaining([[buyer.id], [company]]),
      );
    });
  });

  test('keeps the order too if the ticket service was not asked about its assignment yet', async () => {
    service.tickets.asked = async () => {
      service.tickets.asked = async () => {};
      await assignContractor(withoutAccount);
      await waitForAssignment(ticket.version);
    };
    const order = await create();
    await assign(competitor);
    await allHandled();
    expect(await supplierOf(order.id)).toBeNull();
  });
});

describe('a contractor whose account is linked after the ticket went on', () => {
  const link = (contractor_id: string, company_id: string) =>
    service.publish(contractorLinked({ client_id: buyer.id, contractor_id, company_id }, new Date()));
  const accounts = () => service.connection.collection('contractor_accounts');
  let withoutAccount: string;
  beforeEach(() => {
    withoutAccount = newId();
  });

  test('gets the order made while it had the ticket, with its file; the present contractor gets no event', async () => {
    const waiting = await create();
    await assignContractor(withoutAccount);
    await waitForAssignment(ticket.version);
    const order = await create();
    const competitor = newId();
    await assign(competitor);
    await waitForAssignment(ticket.version);
    const later = await create();
    const company = newId();
    await link(withoutAccount, company);
    await eventually(async () => {
      expect(await Promise.all([waiting, order, later].map(({ id }) => supplierOf(id)))).toEqual([
        company,
        company,
        competitor,
      ]);
      expect(additions(order.id).map(({ data }) => data.audience)).toEqual(
        expect.arrayContaining([[buyer.id], [company]]),
      );
    });
    expect(additions(later.id).map(({ data }) => data.audience)).toEqual([[buyer.id, competitor]]);
    const { data } = await buyer.attach(ticket.id, order.id);
    expect([data.purchase.supplier_company_id, service.tickets.pushed.at(-1)?.document?.supplier_company_id]).toEqual([
      company,
      company,
    ]);
  });

  test('gets an order that is written after the link event', async () => {
    const company = newId();
    await link(withoutAccount, company);
    await eventually(async () => expect(await accounts().countDocuments({ _id: withoutAccount as never })).toBe(1));
    // The ticket service was asked before it knew of the account.
    ticket.version += 1;
    ticket.contractor = { contractor_id: withoutAccount, company_id: null };
    const { id, supplier_company_id } = await create();
    expect(supplier_company_id).toBe(company);
    const pushed = service.tickets.pushed.findLast(({ purchase }) => purchase.id === id);
    expect(pushed?.purchase.supplier_company_id).toBe(company);
  });

  test('gets an order that waited, though the link event comes before the assignment', async () => {
    const [order, company] = [await create(), newId()];
    await link(withoutAccount, company);
    await eventually(async () => expect(await accounts().countDocuments({ _id: withoutAccount as never })).toBe(1));
    await assignContractor(withoutAccount);
    await assign(newId());
    await eventually(async () => expect(await supplierOf(order.id)).toBe(company));
  });
});
