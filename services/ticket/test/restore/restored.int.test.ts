import {
  type DomainEvent,
  invoiceLineChanged,
  purchaseChanged,
  type RestoreLossFound,
  restoreLossFound,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { createRestoreRecords } from '@app/service/restore';
import { aCaller, eventFixture, eventually, recordEvents } from '@app/testing';
import { restoredDatabase } from '../../restore/restored-database.ts';
import { usePlatform } from '../platform.ts';
import { theTicket } from '../tickets/fixtures.ts';

const service = usePlatform({ quiet: true });
let found: DomainEvent<RestoreLossFound>[];
const epoch = Date.now();
const beforeRestore = new Date(epoch - 60_000);

/** The service on a database that was restored, and has the ticket that the frozen examples speak of. */
beforeAll(async () => {
  await service.app.subscribe();
  found = await recordEvents(service.broker, [restoreLossFound]);
  await service.connection.model('Ticket').collection.insertOne(theTicket() as never);
  const since = new Date(epoch - 3_600_000).toISOString();
  await createRestoreRecords(service.connection).add({ restore_id: 'r', service: 'ticket', epoch, since });
});

const { purchase } = eventFixture(purchaseChanged).data;
const changed = eventFixture(invoiceLineChanged).data;
const line = changed.line as NonNullable<typeof changed.line>;
const publish = (...events: Parameters<typeof toCloudEvents>[1]) =>
  service.broker.publish(toCloudEvents('test', events));
const client = () => aCaller({ companyId: theTicket().client_id });
const read = async () => (await service.call(client(), `GET /tickets/${theTicket()._id}`)).data;

test('what tells of a lost ticket or view has no effect, and its sender hears that it is lost', async () => {
  const [lostTicket, lostView] = [newId(beforeRestore), newId(beforeRestore)];
  const at = new Date();
  await publish(
    purchaseChanged({ purchase: { ...purchase, id: newId(), ticket_id: lostTicket, reference: 'PO-9' } }, at),
    invoiceLineChanged({ ...changed, invoice_id: newId(), line: { ...line, view_id: lostView } }, at),
  );
  await eventually(() =>
    expect(found.map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          service: 'ticket',
          epoch,
          kind: 'tickets',
          things: [{ id: lostTicket, label: `${purchase.kind} PO-9`, within: null }],
        }),
        expect.objectContaining({
          service: 'ticket',
          epoch,
          kind: 'views',
          things: [expect.objectContaining({ id: lostView, within: line.ticket_id })],
        }),
      ]),
    ),
  );
});

test('lost purchase documents and invoices leave the ticket; late messages of them change nothing', async () => {
  await publish(purchaseChanged({ purchase }, new Date()), invoiceLineChanged(changed, new Date()));
  await eventually(async () => {
    expect((await read()).purchases).toEqual([expect.objectContaining({ _id: purchase.id })]);
    expect((await read()).invoices).toEqual([expect.objectContaining({ invoice_id: changed.invoice_id })]);
  });
  const { updated_at } = await read();
  const restore = { restore_id: 'r', epoch, since: new Date().toISOString() };
  const lost = (id: string) => [{ id, label: '', within: line.ticket_id }];
  const gone = async () => {
    expect((await read()).purchases).toEqual([]);
    expect((await read()).invoices).toEqual([]);
  };
  await publish(
    restoreLossFound({ ...restore, service: 'purchase', kind: 'purchases', things: lost(purchase.id) }, new Date()),
    restoreLossFound(
      { ...restore, service: 'invoice-reconciliation', kind: 'invoices', things: lost(changed.invoice_id) },
      new Date(),
    ),
  );
  await eventually(gone);
  expect(Date.parse((await read()).updated_at)).toBeGreaterThan(Date.parse(updated_at));
  const again = { ...purchase, version: epoch + 60_000 };
  await publish(
    purchaseChanged({ purchase: { ...purchase, version: purchase.version + 1 } }, new Date()),
    invoiceLineChanged({ ...changed, version: changed.version + 1 }, new Date()),
    purchaseChanged({ purchase: { ...again, reference: 'AGAIN' } }, new Date()),
  );
  await eventually(async () =>
    expect((await read()).purchases).toEqual([expect.objectContaining({ reference: 'AGAIN' })]),
  );
  expect((await read()).invoices).toEqual([]);
});

test.each([
  ['locations', { name: 'Lyon' }],
  ['equipments', { name: 'Boiler' }],
  ['jobs', { name: 'Plumber' }],
  ['domains', { name: 'Heating' }],
  ['custom-fields', { name: { fr: 'Étage', en: 'Floor' } }],
])('an ETag of the lost time never fits a later state: %s', async (path, body) => {
  const { call } = service.as();
  const made = (await call('post', `/api/v3.0/${path}`, body)).data as Record<string, { _id: string }>;
  const _id = Object.values(made)[0]?._id;
  const at = `/api/v3.0/${path}/${_id}`;
  const record = { _id: _id as never };
  const backup = await service.connection.collection('referentials').findOne(record);
  const told = String((await call('patch', at, body)).headers['etag']);
  await service.connection.collection('referentials').replaceOne(record, backup as never);
  const restore = { restore_id: 'r', service: 'ticket', epoch, since: new Date(epoch).toISOString() };
  await restoredDatabase.raise(service.connection, restore);
  await call('patch', at, body);
  expect((await call('patch', at, body, { 'If-Match': told })).status).toBe(412);
});
