import { contractorLinked, purchaseChanged, snapshotKinds, snapshotsRequested, ticketAssigned } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, type Profiled } from '@app/testing';
import type { Purchase } from '../../purchases/purchase.ts';
import { anOrder, usePurchases } from '../purchase-service.ts';

const perTicket = 10;
/** A page and a bit of another. */
const count = 510;

const service = usePurchases();
let ids: string[];

beforeAll(async () => {
  const documents = Array.from({ length: count }, (_, n) => aDocument(n));
  ids = documents.map(({ _id }) => _id).sort();
  await service.connection.collection('purchases').insertMany(documents as never);
});

const [buyers, ticketIds] = [0, 1].map(() => Array.from({ length: count / perTicket }, () => newId())) as [
  string[],
  string[],
];

/** Of many buyers, on a ticket each. */
function aDocument(n: number): Purchase {
  const at = new Date(Date.UTC(2026, 0, 1) + n);
  const ticketIndex = Math.floor(n / perTicket);
  return {
    _id: newId(),
    version: 1 + (n % 3),
    ticket_id: ticketIds[ticketIndex] as string,
    ticket: { number: `T-${ticketIndex}`, title: 'x' },
    kind: 'goods_receipt',
    buyer_company_id: buyers[ticketIndex] as string,
    supplier_company_id: n % 2 === 0 ? newId() : null,
    contractor_id: null,
    assignment_version: 1,
    slot: n % perTicket,
    reference: `R-${n}`,
    source_system: null,
    quote_id: null,
    purchase_order_id: n % 4 === 0 ? newId() : null,
    date: at,
    amount: n,
    includes_vat: false,
    document_id: null,
    s3_key: null,
    from_api: true,
    created_at: at,
    created_by: newId(),
    updated_at: at,
    updated_by: newId(),
    deleted: n % 5 === 0,
  };
}

test('on request it publishes a snapshot of every document again, page by page', async () => {
  const request = { request_id: 'test', after: null };
  for (const kind of snapshotKinds) {
    if (kind !== 'purchases') await service.publish(snapshotsRequested({ ...request, kind }, new Date()));
  }
  const after = ids[499] as string;
  await service.publish(snapshotsRequested({ ...request, kind: 'purchases', after }, new Date()));
  const published = () => service.published(purchaseChanged).map(({ data }) => data.purchase);
  const seen = (before = 0) =>
    [
      ...new Set(
        published()
          .slice(before)
          .map(({ id }) => id),
      ),
    ].sort();
  await eventually(() => expect(seen()).toEqual(ids.slice(500)));
  const before = published().length;
  await service.publish(snapshotsRequested({ ...request, kind: 'purchases' }, new Date()));
  await eventually(() => expect(seen(before)).toEqual(ids));
  const known = new Map((await service.stored()).map(({ _id, version, deleted }) => [_id, { version, deleted }]));
  for (const { id, version, deleted } of published()) expect({ version, deleted }).toEqual(known.get(id));
});

test('no operation scans the documents of other buyers', async () => {
  const database = service.connection.getClient().db(service.connection.name);
  await database.command({ profile: 2 });
  const buyer = service.as({ companyId: buyers[3] as string });
  const ticket = service.tickets.add(buyer.id);
  service.tickets.tickets.set(ticketIds[3] as string, Object.assign(ticket, { id: ticketIds[3] as string }));
  const order = (await buyer.create(ticket.id)).data.purchase;
  await buyer.create(ticket.id, { reference: order.reference });
  const receipt = { ...anOrder('goods_receipt'), purchase_order_id: order.id };
  await Promise.all([1, 2, 3].map(() => buyer.create(ticket.id, receipt)));
  await buyer.patch(ticket.id, order.id, { amount: 5 });
  await buyer.attach(ticket.id, order.id);
  const supplier = newId();
  const assigned = {
    ticket_id: ticket.id,
    client_id: buyer.id,
    version: 9,
    contractor_id: newId(),
    company_id: supplier,
  };
  await service.publish(ticketAssigned(assigned, new Date()));
  await eventually(async () => {
    const [stored] = await service.stored({ _id: order.id });
    expect(stored?.supplier_company_id).toBe(supplier);
  });
  await buyer.remove(ticket.id, order.id);
  const linked = { client_id: buyer.id, contractor_id: newId(), company_id: newId() };
  await service.publish(contractorLinked(linked, new Date()));
  await eventually(async () => {
    expect((await profiled()).some(({ planSummary }) => planSummary === 'IXSCAN { contractor_id: 1 }')).toBe(true);
  });
  await service.app.uploads.sweep();
  await service.app.supplierAssignment.sweep();
  await service.publish(
    snapshotsRequested({ request_id: 'x', kind: 'purchases', after: ids[5] as string }, new Date()),
  );
  await eventually(async () => expect((await profiled()).some(({ docsExamined }) => docsExamined === 500)).toBe(true));
  // The relay's sweep comes by once a second.
  await eventually(async () => {
    expect((await profiled()).some(({ planSummary }) => planSummary?.includes('outbox.time'))).toBe(true);
  });
  await database.command({ profile: 0 });

  const queries = await profiled();
  expect(queries.length).toBeGreaterThan(20);
  expect(queries.filter(({ planSummary }) => planSummary?.includes('COLLSCAN'))).toEqual([]);
  const wide = queries.filter((query) => (query.docsExamined ?? 0) > perTicket + 2 && !isPage(query));
  expect(wide).toEqual([]);
});

/** A page of snapshots, by id, at most 500; the last one is shorter. */
function isPage({ planSummary, docsExamined = 0 }: Profiled): boolean {
  return planSummary === 'IXSCAN { _id: 1 }' && docsExamined <= 500;
}

async function profiled(): Promise<Profiled[]> {
  const database = service.connection.getClient().db(service.connection.name);
  const all = (await database.collection('system.profile').find().toArray()) as unknown as Profiled[];
  return all.filter(({ ns }) => /\.(purchases|assignments|contractor_accounts|uploads)$/.test(ns));
}
