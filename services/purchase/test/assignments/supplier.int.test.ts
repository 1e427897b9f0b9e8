import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import type { FakeTicket } from '../fake-ticket-service.ts';
import { anOrder, type Client, outcome, type Purchases, startPurchases } from '../purchase-service.ts';
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

const {
  assign,
  publishAssignment,
  assignment,
  waitForAssignment,
  allHandled,
  supplierOf,
  create,
  changes,
  versions,
  additions,
} = assignmentsOf(() => ({ service, buyer, ticket }));

test('a document made before the assignment takes the supplier then, and an order is shown to it', async () => {
  const [order, request] = [await create(), await create(anOrder('purchase_request'))];
  const supplier = service.as({ companyKind: 'contractor' });
  await assign(supplier.id);
  await eventually(async () => {
    expect([await supplierOf(order.id), await supplierOf(request.id)]).toEqual([supplier.id, supplier.id]);
    expect(additions(order.id).map(({ data }) => data.audience)).toEqual(
      expect.arrayContaining([[buyer.id], [supplier.id]]),
    );
    expect(versions(request.id)).toEqual([1, 2]);
  });
  const [first, second] = additions(order.id).sort(({ data }) => (data.audience.includes(buyer.id) ? -1 : 1));
  expect(second?.data.payload).toEqual({
    ticket: { id: ticket.id, number: 'T-000042', title: 'Chambre froide' },
    purchase: { ...first?.data.payload.purchase, supplier_company_id: supplier.id },
  });
  expect(additions(request.id)).toHaveLength(1);
  ticket.views.set(supplier.id, { view_id: newId(), role: 'contractor', state: 'active', status: 'assigned' });
  expect(outcome(await supplier.remove(ticket.id, order.id))).toEqual([403, 'purchase_no_access']);
});

test('a known supplier stays after later assignments and writes', async () => {
  const [first, second] = [newId(), newId()];
  await assign(first);
  const order = await create();
  expect(order.supplier_company_id).toBe(first);
  await assign(null);
  await assign(second);
  await waitForAssignment(ticket.version);
  const later = await create();
  expect([await supplierOf(order.id), later.supplier_company_id]).toEqual([first, second]);
  const { data } = await buyer.patch(ticket.id, order.id, { amount: 5 });
  expect(data.purchase.supplier_company_id).toBe(first);
});

test('an assignment that had ended when a document was made does not count, however late its event', async () => {
  ticket.version = 7;
  const order = await create();
  await publishAssignment(5, newId());
  await publishAssignment(6, null);
  const probe = newId();
  await assign(probe);
  await eventually(async () => expect(await supplierOf(order.id)).toBe(probe));
  expect(changes(order.id).length).toBeLessThanOrEqual(2);
});

test('of assignments that arrive while a document is made, in any order, the first is its supplier', async () => {
  const first = newId();
  await publishAssignment(9, newId());
  await waitForAssignment(9);
  await publishAssignment(8, first);
  await allHandled();
  // The ticket service is asked before it knows of any of them.
  expect((await create()).supplier_company_id).toBe(first);
});

test('an event that is delivered twice changes nothing the second time', async () => {
  const order = await create();
  const supplier = newId();
  await assign(supplier);
  await publishAssignment(ticket.version, supplier);
  await eventually(async () => expect(await supplierOf(order.id)).toBe(supplier));
  const marker = await create();
  await publishAssignment(ticket.version + 1, newId());
  await waitForAssignment(ticket.version + 1);
  await buyer.patch(ticket.id, marker.id, { amount: 1 });
  await eventually(() => expect(changes(marker.id)).toHaveLength(2));
  expect(versions(order.id)).toEqual([1, 2]);
});

describe('of several assignments, whatever their distance, the first is the supplier', () => {
  test('of documents that wait', async () => {
    const rounds = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const on = service.tickets.add(buyer.id);
        return { on, id: (await create({}, on)).id, companies: [newId(), newId(), newId(), newId()] };
      }),
    );
    await service.publish(
      ...rounds.flatMap(({ on, companies }) =>
        companies.map((company_id, n) => assignment(2 + n, { contractor_id: newId(), company_id }, on)),
      ),
    );
    for (const { on } of rounds) await waitForAssignment(5, on);
    await eventually(async () => {
      for (const { id, companies } of rounds) expect(await supplierOf(id)).toBe(companies[0]);
    });
  });
});

test("a contractor's own documents never have a supplier", async () => {
  const contractor = service.as({ companyKind: 'contractor' });
  ticket.views.set(contractor.id, { view_id: newId(), role: 'contractor', state: 'pending', status: 'proposed' });
  const own = (await contractor.create(ticket.id)).data.purchase;
  const order = await create();
  await assign(newId());
  await eventually(async () => expect(await supplierOf(order.id)).toBe(ticket.contractor?.company_id));
  expect([await supplierOf(own.id), (await contractor.create(ticket.id)).data.purchase.supplier_company_id]).toEqual([
    null,
    null,
  ]);
});

describe('a create and an assignment at the same moment', () => {
  test('the ticket is read before the assignment, the document is written after its event', async () => {
    for (let round = 0; round < 10; round++) {
      ticket = service.tickets.add(buyer.id);
      const supplier = newId();
      service.tickets.asked = async () => {
        await assign(supplier);
        await waitForAssignment(ticket.version);
      };
      const order = await create();
      expect(order.supplier_company_id).toBe(supplier);
      // What was pushed last is what a read shows, and what the response said.
      const pushed = service.tickets.pushed.findLast(({ purchase }) => purchase.id === order.id);
      expect(pushed?.purchase).toMatchObject({ version: 2, supplier_company_id: supplier });
    }
  });

  test.each([
    ['another one', newId()],
    ['nobody', null],
  ])(
    'the ticket goes from one contractor to %s between the read and the write: the former contractor gets no event',
    async (_to, next) => {
      const former = newId();
      await assign(former);
      service.tickets.asked = async () => {
        service.tickets.asked = async () => {};
        await assign(next);
        await waitForAssignment(ticket.version);
      };
      const order = await create();
      expect(order.supplier_company_id).toBe(next);
      await eventually(() => expect(additions(order.id)).toHaveLength(1));
      expect(additions(order.id)[0]?.data.audience).toEqual(next === null ? [buyer.id] : [buyer.id, next]);
    },
  );

  test('in any order: every document ends with the supplier', async () => {
    const rounds = Array.from({ length: 30 }, () => ({ on: service.tickets.add(buyer.id), supplier: newId() }));
    const made = await Promise.all(
      rounds.map(async ({ on, supplier }, n) => {
        const both = [() => create({}, on), () => assign(supplier, on)];
        const [first, second] = await Promise.all((n % 2 === 0 ? both : both.reverse()).map((one) => one()));
        return { id: (first ?? second).id, supplier };
      }),
    );
    await eventually(async () => {
      for (const { id, supplier } of made) expect(await supplierOf(id)).toBe(supplier);
    });
  });
});
