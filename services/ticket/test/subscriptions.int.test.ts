import {
  companyCreated,
  type DomainEvent,
  invoiceLineChanged,
  purchaseChanged,
  purchaseFileAttached,
  snapshotsRequested,
  ticketChanged,
  ticketInvoiceAdded,
  userCreated,
} from '@app/contracts';
import { aCaller, eventFixture, eventually, recordEvents } from '@app/testing';
import { usePlatform } from './platform.ts';
import { theTicket } from './tickets/fixtures.ts';

const service = usePlatform({ quiet: true });
let published: DomainEvent[];
beforeAll(async () => {
  await service.app.subscribe();
  published = await recordEvents(service.broker, [ticketChanged, ticketInvoiceAdded]);
  await service.connection.model('Ticket').collection.insertOne(theTicket() as never);
});

const twice = <T>(...events: DomainEvent<T>[]) => service.broker.publish([...events, ...events] as DomainEvent[]);
/** What a newer owner may add, at every level that is copied. */
const newer = <T extends object>(value: T): T => ({ ...value, newer: 1 });

test("identity's frozen events become projections, without fields that a newer identity may add", async () => {
  const [company, user] = [eventFixture(companyCreated), eventFixture(userCreated)];
  await twice<unknown>(
    { ...company, data: { company: newer(company.data.company) } },
    { ...user, data: { user: newer(user.data.user) } },
  );
  await eventually(async () => {
    expect(await service.projections.companies([company.data.company.id])).toEqual([company.data.company]);
    expect(await service.projections.users([user.data.user.id])).toEqual([
      { ...user.data.user, active: true, version: 0 },
    ]);
  });
});

describe('frozen events of other services are shown on their ticket, without fields that a newer version may add', () => {
  const { client_id, id } = eventFixture(ticketChanged).data.ticket;
  const client = aCaller({ companyId: client_id });
  const read = async () => (await service.call(client, `GET /tickets/${id}`)).data;

  test('a purchase document and its file, the file before the document', async () => {
    const [changed, attached] = [eventFixture(purchaseChanged), eventFixture(purchaseFileAttached)];
    await twice<unknown>(
      { ...attached, data: { document: newer(attached.data.document) } },
      { ...changed, data: { purchase: newer(changed.data.purchase) } },
    );
    const { id: _id, version, deleted, ...fields } = changed.data.purchase;
    await eventually(async () =>
      expect((await read()).purchases).toEqual([{ ...fields, _id, editable: true, source: 'api' }]),
    );
    await eventually(async () => {
      const { documents } = (await service.call(client, `GET /tickets/${id}/documents`)).data;
      const { id: documentId } = attached.data.document;
      expect(documents).toMatchObject([{ _id: documentId, kind: 'purchase_order', name: 'commande.pdf' }]);
    });
  });

  test('the line of an invoice, published once', async () => {
    const changed = eventFixture(invoiceLineChanged);
    await twice({ ...changed, data: newer(changed.data) });
    const { invoice_id, line } = changed.data;
    const { reference, price, supplier, amounts, supplier_status } = line as NonNullable<typeof line>;
    const shown = { _id: invoice_id, invoice_id, reference, price, supplier, amounts, supplier_status };
    await eventually(async () => expect((await read()).invoices).toEqual([shown]));
    await eventually(() =>
      expect(published.filter(({ type }) => type === ticketInvoiceAdded.type)).toMatchObject([
        { data: eventFixture(ticketInvoiceAdded).data },
      ]),
    );
  });
});

test('the frozen request for snapshots has every ticket published again', async () => {
  await twice(eventFixture(snapshotsRequested));
  await eventually(() => {
    const again = published.filter(({ type }) => type === ticketChanged.type);
    expect(again.map(({ subject }) => subject)).toEqual([theTicket()._id, theTicket()._id]);
  });
});
