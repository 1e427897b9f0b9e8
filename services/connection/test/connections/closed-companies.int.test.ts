import {
  type AuditRecord,
  auditRecorded,
  companyChanged,
  type DomainEvent,
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  noDetails,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, recordEvents, testBroker } from '@app/testing';
import { anAccountant, anInvoice, type Connected, type Service, startService } from '../service.ts';

let service: Service;
let audited: DomainEvent<AuditRecord>[];
let stop: () => Promise<void>;

beforeAll(async () => {
  service = await startService({ limits: { pollIntervalMs: 400 } });
  const broker = await testBroker(service.namespace);
  audited = await recordEvents(broker, [auditRecorded], 'audit');
  stop = () => broker.close();
});
afterAll(async () => {
  await stop();
  await service.stop();
});

const recordOf = (connected: Connected) => service.recordOf(connected);
const fetched = (connected: Connected) => service.fetched(connected).map(({ external_id }) => external_id);

function state({ owner }: Connected, version: number, closed: boolean) {
  const at = new Date();
  const names = { id: owner.companyId, name: 'Acme', kind: 'client' as const, siret: null, siren: null };
  return companyChanged({ company: { ...names, closed_at: closed ? at.toISOString() : null, version } }, at);
}
const reached = (connected: Connected, companyVersion: number) =>
  eventually(async () => expect(await recordOf(connected)).toMatchObject({ companyVersion }));

test('for a closed company no provider is asked or heard; once it is open, what came meanwhile is fetched', async () => {
  const connected = await service.connected();
  const first = service.sandbox.put(connected.apiKey, anInvoice()).id;
  await eventually(() => expect(fetched(connected)).toEqual([first]));

  const closing = state(connected, 1, true);
  await service.publish(closing);
  await reached(connected, 1);
  expect((await recordOf(connected))?.['pollDueAt']).toBeUndefined();
  const missed = service.sandbox.put(connected.apiKey, anInvoice()).id;
  const refused = await service.webhook(connected, [missed]);
  expect([refused.status, refused.body['code']]).toEqual([404, 'connection_not_found']);
  // Nor is a connection polled that the owner changes while the company is closed.
  await service.patch(connected, { active: true });
  expect((await recordOf(connected))?.['pollDueAt']).toBeUndefined();
  // Another company is polled meanwhile, so this one would have been.
  const beside = await service.connected();
  const other = service.sandbox.put(beside.apiKey, anInvoice()).id;
  await eventually(() => expect(fetched(beside)).toEqual([other]));
  expect(fetched(connected)).toEqual([first]);

  await service.publish(state(connected, 2, false));
  await eventually(() => expect(fetched(connected).sort()).toEqual([first, missed].sort()));
  // Events that come late or twice: an older state changes nothing.
  await service.publish(closing, state(connected, 1, true), state(connected, 2, false));
  const last = service.sandbox.put(connected.apiKey, anInvoice()).id;
  await eventually(() => expect(fetched(connected)).toContain(last));
  expect((await service.webhook(connected, [last])).status).toBe(202);
});

test('what is to be told to a provider meanwhile waits, and is told once the company is open', async () => {
  const connected = await service.connected();
  const { id: connection_id, owner, apiKey } = connected;
  const { id: external_id } = service.sandbox.put(apiKey, anInvoice());
  await service.publish(state(connected, 1, true));
  await reached(connected, 1);
  const request = {
    invoice_id: newId(),
    client_id: owner.companyId,
    connection_id,
    provider: 'sandbox',
    external_id,
    link_version: 1,
    outcome: 'taken_in_charge' as const,
    ticket: { id: newId(), number: 'T-1' },
    po_ref: null,
    details: noDetails,
    asked_at: new Date().toISOString(),
    key: 'taken_in_charge/0',
    earlier_links: [],
  };
  await service.publish(invoiceFeedbackRequested(request, new Date()));
  await eventually(async () =>
    expect(await service.jobs().countDocuments({ connectionId: connection_id, kind: 'feedback' })).toBe(1),
  );
  expect(service.sandbox.feedback(apiKey)).toEqual([]);
  await service.publish(state(connected, 2, false));
  const settled = () => service.events(invoiceFeedbackSettled).filter((one) => one.invoice_id === request.invoice_id);
  await eventually(() => expect(settled().map(({ result }) => result)).toEqual(['sent']));
});

test('a connection that is made for a closed company, or is switched off, is not polled when it is closed or opened', async () => {
  const owner = anAccountant();
  await service.publish(state({ owner } as Connected, 3, true));
  await eventually(async () => {
    const closures = service.database.collection('company_closures');
    expect(await closures.countDocuments({ _id: owner.companyId as never })).toBe(1);
  });
  const body = { provider: 'sandbox', apiKey: 'a key', active: true };
  const { body: made } = await service.call('POST', '/invoice-connections', { as: owner, body });
  const connection = { id: String(made['id']), owner } as Connected;
  expect(await recordOf(connection)).toMatchObject({ companyClosed: true, active: true });
  await service.patch(connection, { active: false });
  await service.publish(state(connection, 4, false));
  await reached(connection, 4);
  expect(await recordOf(connection)).toMatchObject({ active: false });
  expect((await recordOf(connection))?.['pollDueAt']).toBeUndefined();
});

test('making, changing and deleting a connection is told once each, without its secrets', async () => {
  const connected = await service.connected();
  const { id, owner, apiKey, webhookSecret } = connected;
  await service.patch(connected, { active: true });
  await service.patch(connected, { active: false, apiKey: 'another key' });
  await Promise.all([1, 2].map(() => service.remove(connected)));
  const mine = () => audited.map(({ data }) => data).filter(({ company_id }) => company_id === owner.companyId);
  await eventually(() => expect(mine().length).toBeGreaterThanOrEqual(3));
  expect(mine().map(({ action }) => action)).toEqual([
    ...['invoice_connection.created', 'invoice_connection.changed', 'invoice_connection.deleted'],
  ]);
  expect(mine()[1]).toMatchObject({
    actor: { kind: 'user', user_id: owner.userId },
    from: { address: null },
    target: { kind: 'invoice_connection', id, name: 'sandbox' },
    details: {
      changes: [
        { field: 'active', before: true, after: false },
        { field: 'apiKey', before: null, after: null },
      ],
    },
  });
  for (const secret of [apiKey, webhookSecret, 'another key']) expect(JSON.stringify(audited)).not.toContain(secret);
});
