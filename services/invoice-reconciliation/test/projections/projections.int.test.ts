import {
  companyChanged,
  companyCreated,
  contractorChanged,
  type EventType,
  invoiceFetched,
  invoiceGone,
  locationChanged,
  purchaseChanged,
  snapshotsRequested,
  ticketChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { connectBroker, on } from '@app/messaging';
import { eventFixture, eventually, testInfra, testLogger } from '@app/testing';
import { createDirectoryStore } from '../../projections/directory-store.ts';
import { requestSnapshots } from '../../projections/request-snapshots.ts';
import { projectPurchase } from '../../projections/ticket-projection.ts';
import { useService } from '../reconciliation.ts';
import { anOrder } from '../snapshots.ts';

const service = useService();

const projectionOf = (collection: string, id: string) =>
  service.connection.collection(collection).findOne({ _id: id as never });

test('the frozen events become projections, delivered twice as well as once', async () => {
  const about = <T>(type: EventType<T>) => eventFixture(type).data;
  for (let twice = 0; twice < 2; twice++) {
    await service.publish(companyCreated, about(companyCreated));
    await service.publish(contractorChanged, about(contractorChanged));
    await service.publish(locationChanged, about(locationChanged));
    await service.publish(purchaseChanged, about(purchaseChanged));
    await service.publish(ticketChanged, about(ticketChanged));
    await service.publish(invoiceGone, about(invoiceGone));
  }
  const { ticket } = about(ticketChanged);
  const { purchase } = about(purchaseChanged);
  await eventually(async () => {
    expect(await projectionOf('company_projections', about(companyCreated).company.id)).toMatchObject({
      snapshot: about(companyCreated).company,
    });
    expect(await projectionOf('contractor_projections', about(contractorChanged).contractor.id)).toMatchObject({
      siren: '732829320',
    });
    expect(await projectionOf('location_projections', about(locationChanged).location.id)).toMatchObject({
      version: 1,
    });
    expect(await service.ticketProjection(ticket.id)).toMatchObject({
      ticket,
      purchases: [projectPurchase(purchase)],
    });
  });
  // The files of the frozen event do not exist: an error, but no dead letter. It is published as of a later fetch, because at
  // its own the invoice was deleted.
  const { client_id, external_id, sequence } = about(invoiceFetched);
  await service.publish(invoiceFetched, { ...about(invoiceFetched), sequence: sequence + 1 });
  await service.becomes({ client_id, external_id }, { state: 'error' });
  expect(service.logged()).not.toContain('message dead-lettered');
});

test('a company is as in its newest state, in whatever order these come', async () => {
  const directory = createDirectoryStore(service);
  const created = { ...eventFixture(companyCreated).data.company, id: newId() };
  const state = (version: number) => ({ ...created, name: `Acme ${version}`, siren: null, closed_at: null, version });
  for (const company of [created, state(2), state(1), created]) {
    await directory.upsertCompany(company);
    await directory.company(created.id);
  }
  expect(await directory.company(created.id)).toEqual({ ...created, name: 'Acme 2', siren: null });
  await service.publish(companyChanged, { company: state(3) });
  const expected = { version: 3, snapshot: { ...created, name: 'Acme 3', siren: null } };
  await eventually(async () => expect(await projectionOf('company_projections', created.id)).toMatchObject(expected));
});

test('after the projections are lost, a rebuild restores them from what their owners publish', async () => {
  const { id, ticket, order, contractor } = await service.world();
  const { amqpUrl } = testInfra();
  const owner = await connectBroker({
    url: amqpUrl,
    namespace: service.namespace,
    service: 'owner',
    logger: testLogger(),
  });
  const asked: string[] = [];
  await owner.subscribe({
    queue: 'snapshot-requests',
    table: [
      on(snapshotsRequested, async ({ data }) => {
        asked.push(data.kind);
        if (data.kind === 'tickets') await service.publish(ticketChanged, { ticket });
        if (data.kind === 'contractors') await service.publish(contractorChanged, { contractor });
        if (data.kind === 'purchases')
          await service.publish(purchaseChanged, { purchase: anOrder(ticket, { reference: order }) });
      }),
    ],
  });
  for (const name of ['ticket_projections', 'contractor_projections', 'purchase_projections'])
    await service.connection.collection(name).deleteMany({});
  const lost = await service.ingest(id, { references: { purchase_order: order } });
  expect(lost.state).toBe('ticket_unmatched');
  await requestSnapshots(owner);
  await service.becomes(lost, { ticket_id: ticket.id });
  await eventually(() =>
    expect([...asked].sort()).toEqual(['companies', 'contractors', 'locations', 'purchases', 'tickets']),
  );
  await owner.close();
});
