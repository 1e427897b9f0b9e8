import { contractorLinked, purchaseChanged, ticketAssigned, ticketPurchaseAdded } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, profiled } from '@app/testing';
import type { FakeTicket } from '../fake-ticket-service.ts';
import { anOrder, type Client, outcome, usePurchases } from '../purchase-service.ts';

type Assigned = { contractor_id: string | null; company_id: string | null };

const service = usePurchases();
let buyer: Client;
let ticket: FakeTicket;

beforeEach(() => {
  buyer = service.as();
  ticket = service.tickets.add(buyer.id);
  service.tickets.asked = async () => {};
});

/** The ticket is assigned: from now on the ticket service says so, and the event is on its way. */
async function assign(companyId: string | null, on = ticket): Promise<void> {
  on.version += 1;
  on.contractor = companyId === null ? null : { contractor_id: newId(), company_id: companyId };
  await publishAssignment(on.version, companyId, on);
}

/** The same for one of the client's directory, who may have no account. */
async function assignContractor(contractor_id: string, company_id: string | null = null): Promise<void> {
  ticket.version += 1;
  ticket.contractor = { contractor_id, company_id };
  await service.publish(assignment(ticket.version, ticket.contractor));
}

function publishAssignment(version: number, company_id: string | null, on = ticket): Promise<void> {
  const contractor_id = company_id === null ? null : (on.contractor?.contractor_id ?? newId());
  return service.publish(assignment(version, { contractor_id, company_id }, on));
}

function assignment(version: number, assigned: Assigned, on = ticket) {
  return ticketAssigned({ ticket_id: on.id, client_id: on.clientId, version, ...assigned }, new Date(), on.id);
}

/** Waits until the service has handled the assignment of this version. */
async function waitForAssignment(version: number, on = ticket): Promise<void> {
  const assignments = service.connection.collection('assignments');
  await eventually(async () => {
    const stored = await assignments.findOne({ _id: on.id as never });
    expect(stored?.['newest'].version).toBe(version);
  });
}

/** Assignments are handled in their order: once the last one of the queue has had its effect, those before it had theirs. */
async function allHandled(): Promise<void> {
  const [last, supplier] = [service.tickets.add(buyer.id), newId()];
  const { id } = await create({}, last);
  await assign(supplier, last);
  await eventually(async () => expect(await supplierOf(id)).toBe(supplier));
}

const supplierOf = async (id: string) => (await service.stored({ _id: id }))[0]?.supplier_company_id;
const create = async (body: object = {}, on = ticket) => (await buyer.create(on.id, body)).data.purchase;
const changes = (id: string) => service.published(purchaseChanged).filter(({ data }) => data.purchase.id === id);
const versions = (id: string) =>
  changes(id)
    .map(({ data }) => data.purchase.version)
    .sort();
const additions = (id: string) =>
  service.published(ticketPurchaseAdded).filter(({ data }) => data.payload.purchase.id === id);
const audiences = (id: string) => additions(id).map(({ data }) => data.audience);
/** Attaches a file: the supplier in the answer, and in what is pushed. */
async function supplierOfFile(id: string) {
  const { data } = await buyer.attach(ticket.id, id);
  return [data.purchase.supplier_company_id, service.tickets.pushed.at(-1)?.document?.supplier_company_id];
}

test('a document made before the assignment takes the supplier then, and an order is shown to it', async () => {
  const [order, request] = [await create(), await create(anOrder('purchase_request'))];
  const supplier = service.as({ companyKind: 'contractor' });
  await assign(supplier.id);
  await eventually(async () => {
    expect([await supplierOf(order.id), await supplierOf(request.id)]).toEqual([supplier.id, supplier.id]);
    expect(audiences(order.id)).toEqual(expect.arrayContaining([[buyer.id], [supplier.id]]));
    expect(versions(request.id)).toEqual([1, 2]);
  });
  const [stored] = await service.stored({ _id: order.id });
  const [first, second] = additions(order.id).sort(({ data }) => (data.audience.includes(buyer.id) ? -1 : 1));
  expect(second?.data.payload).toEqual({
    ticket: { id: ticket.id, number: 'T-000042', title: 'Chambre froide' },
    purchase: {
      ...first?.data.payload.purchase,
      supplier_company_id: supplier.id,
      supplier_contractor_id: stored?.contractor_id,
    },
  });
  expect(additions(request.id)).toHaveLength(1);
  service.tickets.giveTo(ticket, supplier.id);
  expect(outcome(await supplier.remove(ticket.id, order.id))).toEqual([403, 'purchase_no_access']);
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

describe('if the ticket service tells the version of the ticket', () => {
  beforeEach(() => {
    service.tickets.tellsVersions = true;
  });
  afterEach(() => {
    service.tickets.tellsVersions = false;
  });

  test('whoever was assigned while a document was made is its supplier', async () => {
    const supplier = newId();
    service.tickets.asked = async () => {
      await assign(supplier);
      await waitForAssignment(ticket.version);
    };
    expect((await create()).supplier_company_id).toBe(supplier);
  });

  test('assignments are looked up only if the ticket changed meanwhile', async () => {
    const lookups = async () => {
      const operations = await profiled(service, async () => void (await create()));
      return operations.filter(({ ns }) => ns.endsWith('.assignments')).length;
    };
    expect(await lookups()).toBe(0);
    service.tickets.asked = async () => {
      ticket.version += 1;
    };
    expect(await lookups()).toBe(1);
  });
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

test('of several assignments, whatever their distance, the first is the supplier of documents that wait', async () => {
  const rounds = await Promise.all(
    Array.from({ length: 8 }, async () => {
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

describe('a create and an assignment at the same moment', () => {
  test('the ticket is read before the assignment, the document is written after its event', async () => {
    for (let round = 0; round < 3; round++) {
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
    const rounds = Array.from({ length: 12 }, () => ({ on: service.tickets.add(buyer.id), supplier: newId() }));
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

describe('a contractor without account', () => {
  const [withoutAccount, competitor] = [newId(), newId()];

  const assignments: [string, () => Promise<void>, () => Promise<void>][] = [
    ['was assigned before', () => assignContractor(withoutAccount), async () => undefined],
    ['is assigned after', async () => undefined, () => assignContractor(withoutAccount)],
  ];

  test.each(assignments)(
    'a contractor that %s an order was made keeps it from the next one',
    async (_when, before, after) => {
      await before();
      const order = await create();
      await after();
      await waitForAssignment(ticket.version);
      await assign(competitor);
      const later = await create();
      expect(later.supplier_company_id).toBe(competitor);
      await allHandled();
      expect([await supplierOf(order.id), audiences(order.id)]).toEqual([null, [[buyer.id]]]);
      expect(await supplierOfFile(order.id)).toEqual([null, null]);
    },
  );

  test.each(assignments)(
    'a contractor that %s an order was made gets it with its account',
    async (_when, before, after) => {
      await before();
      const order = await create();
      await after();
      await waitForAssignment(ticket.version);
      const company = newId();
      await assignContractor(withoutAccount, company);
      await eventually(async () => {
        expect(await supplierOf(order.id)).toBe(company);
        expect(audiences(order.id)).toEqual(expect.arrayContaining([[buyer.id], [company]]));
      });
    },
  );

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
      expect(audiences(order.id)).toEqual(expect.arrayContaining([[buyer.id], [company]]));
    });
    expect(audiences(later.id)).toEqual([[buyer.id, competitor]]);
    expect(await supplierOfFile(order.id)).toEqual([company, company]);
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
