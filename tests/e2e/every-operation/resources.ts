import { randomUUID } from 'node:crypto';
import { type Account, anInvoice, newAccount, ok } from '../invoicing.ts';
import { caller, type Member, newCompany, newContractorOf, newTicket, pdfForm, stack } from '../platform.ts';

/** A company with one of everything; `ids` by the names of path parameters. */
export type Resources = { owner: Member; contractor: Member; account: Account; ids: Record<string, string> };

export async function createResources(): Promise<Resources> {
  const owner = await newCompany('client');
  const contractor = await newContractorOf(owner);
  const ticket = await newTicket(owner);
  await owner.api(`POST ${ticket}/assign`, { contractor_id: contractor.id });
  const date = await owner.api(`POST ${ticket}/dates`, {
    start: Date.now() + 86_400_000,
    end: Date.now() + 90_000_000,
    type: 'planned',
  });
  const quote = await contractor.api(`POST ${ticket}/quotes`, pdfForm({ reference: 'Q-2026-031', price: '1234.50' }));
  await owner.api(`POST ${ticket}/notes`, { note: randomUUID(), type: 'public' });
  const document = await owner.api(`POST ${ticket}/documents`, pdfForm());
  const purchase = await owner.api(`POST ${ticket}/purchases`, { kind: 'purchase_order', reference: randomUUID() });
  const named = async (path: string, body: object) =>
    Object.values((await owner.api(`POST /${path}`, body)).data)[0] as { _id: string };
  const endpoint = await owner.ts('POST /webhooks/endpoints', {
    name: 'Purchasing system',
    // Nothing listens there: what is sent fails at once. No event of these tests is sent there: what is still under way would change its log.
    url: 'https://127.0.0.1:9/',
    events: ['ticket.overdue'],
  });
  const log = `/webhooks/endpoints/${endpoint.data.id}`;
  const tested = await ok(owner.ts(`POST ${log}/test`));
  const redelivery = await ok(owner.ts(`POST ${log}/redeliveries`, { status: 'exhausted' }));
  const token = await owner.ts('POST /api-tokens', { name: 'Purchasing system' });
  const feed = await ok(owner.ts('PUT /auth/agenda-feed', {}));
  const sessions = await ok(owner.ts('GET /auth/sessions'));
  const users = await ok(owner.ts('GET /company/users'));
  const filter = { name: 'Open', query: 'status=opened', shared: true };
  const saved = await ok(owner.ts('PUT /company/filters/tickets', filter));
  const savedToo = await ok(owner.ts('PUT /company/filters/invoices', { ...filter, query: 'list=all&state=linked' }));
  const account = await newAccount(owner);
  const connection = await ok(account.connect());
  const invoice = await account.queued(await account.put(anInvoice()));
  const administrator = caller(stack().tsApi, stack().adminToken);
  const exported = await ok(administrator(`POST /admin/companies/${owner.companyId}/exports`));
  const listExport = await ok(owner.ts('POST /exports', { download: '/api/v3.0/tickets/export' }));
  const ids = {
    company_id: owner.companyId,
    ticket_id: ticket.split('/')[2],
    date_id: date.data.date._id,
    quote_id: quote.data.quote._id,
    purchase_id: purchase.data.purchase.id,
    document_id: document.data.document._id,
    contractor_id: contractor.id,
    location_id: (await named('locations', { name: 'North building' }))._id,
    equipment_id: (await named('equipments', { name: 'Boiler 2' }))._id,
    job_id: (await named('jobs', { name: 'Plumbing' }))._id,
    domain_id: (await named('domains', { name: 'Water supply' }))._id,
    custom_field_id: (await named('custom-fields', { name: { fr: 'Centre de coûts', en: 'Cost centre' } }))._id,
    endpoint_id: endpoint.data.id,
    deliveryId: tested.data.deliveryId,
    redeliveryId: redelivery.data.id,
    api_token_id: token.data.id,
    feed: feed.data.url.split('/').at(-1),
    user_id: users.data.items[0].id,
    filter_id: saved.data.id,
    invoice_filter_id: savedToo.data.id,
    session_id: sessions.data.items[0].id,
    connection_id: connection.data.id,
    failureId: 'aW52b2ljZQ',
    invoice_id: invoice.id,
    export_id: exported.data.id,
    list_export_id: listExport.data.id,
  };
  return { owner, contractor, account, ids: ids as Record<string, string> };
}
