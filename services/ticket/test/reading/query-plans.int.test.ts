import { newId } from '@app/kernel';
import { aCaller } from '@app/testing';
import { invoiceLine } from '../../invoices/invoice-line.ts';
import { projectedPurchase } from '../../purchases/purchase.ts';
import { purchaseFileDocument } from '../../purchases/purchase-file-document.ts';
import type { Ticket } from '../../tickets/ticket.ts';
import { aLine } from '../invoices/fixtures.ts';
import { plansOf, usePlatform } from '../platform.ts';
import { aPurchase, withFile } from '../purchases/fixtures.ts';
import { worked } from '../tickets/fixtures.ts';

const app = usePlatform({ quiet: true });
const [buyer, neighbour] = [aCaller(), aCaller()];
const supplier = aCaller({ companyKind: 'contractor' });
const perTicket = 10;

/** Of each client: 50 tickets with purchase documents and invoices, some deleted, and 50 without. */
beforeAll(async () => {
  for (const { companyId } of [buyer, neighbour]) {
    const full = Array.from({ length: 50 }, () => ticketOf(companyId, { has_purchases: true, has_invoices: true }));
    await insert('Ticket', [...full, ...Array.from({ length: 50 }, () => ticketOf(companyId))]);
    await insert('PurchaseProjection', full.flatMap(purchasesOf));
    await insert('InvoiceLine', full.flatMap(linesOf));
  }
});

const insert = (model: string, documents: object[]) =>
  app.connection.model(model).collection.insertMany(documents as never);

const ticketOf = (client_id: string, given: Partial<Ticket> = {}) =>
  worked('assigned', { candidate: { id: newId(), company_id: supplier.companyId } }, { ...given, client_id });

/** Orders and requests in turn; as many again were deleted. */
function purchasesOf({ _id, client_id }: Ticket): object[] {
  const parties = { ticket: _id, buyer: client_id, supplier: supplier.companyId };
  return Array.from({ length: 2 * perTicket }, (_, index) => {
    const kind = index % 2 ? 'purchase_order' : 'purchase_request';
    return projectedPurchase(aPurchase(parties, { kind, deleted: index >= perTicket }));
  });
}

/** On either view in turn; as many again were taken away. */
function linesOf({ _id, client_id, views }: Ticket): object[] {
  return Array.from({ length: 2 * perTicket }, (_, index) => {
    const told = aLine({ client: client_id, ticket: _id, view: views[index % 2]?._id ?? '' });
    return invoiceLine(index < perTicket ? told : { ...told, line: null });
  });
}

const beside = /purchase_projections|invoice_lines/;
type Shown = { purchases: object[]; invoices: object[] };

test.each([
  ['the buyer', buyer, perTicket, perTicket],
  ['the supplier, orders and its own lines', supplier, perTicket / 2, perTicket / 2],
])('a page of 50 tickets costs one query of each by its index: %s', async (_who, caller, purchases, invoices) => {
  let tickets: Shown[] = [];
  const plans = await plansOf(app.connection, async () => {
    tickets = (await app.call(caller, 'GET /tickets?limit=50')).data.tickets;
  });
  expect(new Set(tickets.map((ticket) => `${ticket.purchases.length} ${ticket.invoices.length}`))).toEqual(
    new Set([`${purchases} ${invoices}`]),
  );
  const read = plans.filter(({ ns }) => beside.test(ns));
  expect(read.map(({ ns }) => ns.split('.')[1]).sort()).toEqual(['invoice_lines', 'purchase_projections']);
  for (const { planSummary, hasSortStage, docsExamined, nreturned } of read) {
    expect(planSummary).toMatch(/^IXSCAN \{ ticket_id: 1,/);
    expect(hasSortStage ?? false).toBe(false);
    expect(docsExamined).toBe(nreturned);
  }
});

test('tickets that never had any cost no query for them, on a page and alone', async () => {
  const [first] = (await app.call(buyer, 'GET /tickets?limit=50')).data.tickets.slice(-1);
  const plans = await plansOf(app.connection, async () => {
    const { data } = await app.call(buyer, `GET /tickets?limit=50&cursor=${first._id}`);
    expect(data.tickets).toHaveLength(50);
    expect(data.tickets[0]).toMatchObject({ purchases: [], invoices: [] });
    await app.call(buyer, `GET /tickets/${data.tickets[0]._id}`);
  });
  expect(plans.length).toBeGreaterThan(0);
  expect(plans.filter(({ ns }) => beside.test(ns))).toEqual([]);
});

test('the files of an order are found by an index when its supplier becomes known', async () => {
  const parties = { ticket: newId(), buyer: buyer.companyId, supplier: null };
  const files = Array.from({ length: 500 }, () => withFile(aPurchase(parties)).document);
  const documents = app.connection.model('TicketDocument').collection;
  await documents.insertMany(files.map((file) => purchaseFileDocument(file, null)) as never);
  const filter = { purchase_id: files[7]?.purchase_id, supplier_company_id: null };
  const plan = await documents.find(filter as never).explain('executionStats');
  expect(plan).toMatchObject({ executionStats: { totalDocsExamined: 1 } });
});
