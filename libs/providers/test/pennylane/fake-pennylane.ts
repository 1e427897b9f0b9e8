import { createFaults, HttpError, type Reply, type Request, startHttpServer } from '@app/demo';
import { pennylane } from '../../pennylane/pennylane.ts';
import { apiKey, type FakeProvider } from '../fake-provider.ts';

type Invoice = Record<string, unknown> & { id: number; external_reference: string | null };
type Change = { id: number; operation: 'insert' | 'update' | 'delete'; processed_at: string };

const fourWeeksMs = 28 * 24 * 3_600_000;
const documentBytes = Buffer.from('%PDF-1.4\n% a picture of an invoice\n');

export type FakePennylane = FakeProvider & {
  /** The invoice as the provider holds it. */
  invoice(id: string): Invoice;
  /** Purchase requests of the account, and those linked to each invoice. */
  purchaseRequests: { id: number; purchase_order_number: string }[];
  linked: Map<number, number[]>;
  suppliersRead(): number;
};

/** A fake of Pennylane's API v2 with its paging, limits and refusals. */
export async function startFakePennylane(): Promise<FakePennylane> {
  const faults = createFaults();
  const invoices = new Map<number, Invoice>();
  const log: Change[] = [];
  const linked = new Map<number, number[]>([[4001, [8]]]);
  const purchaseRequests = [{ id: 8, purchase_order_number: 'PO-2026-001' }];
  const references = { set: 0, cleared: 0 };
  const statuses: string[] = [];
  let suppliersRead = 0;
  let base = '';

  const add = (id: number, number: string): void => {
    const at = new Date().toISOString();
    invoices.set(id, { ...anInvoice(id, number), public_file_url: `${base}/files/${id}?signature=${Math.random()}` });
    log.push({ id, operation: 'insert', processed_at: at });
  };
  const read = (id: string | undefined): Invoice => {
    const invoice = invoices.get(Number(id));
    if (!invoice) throw new HttpError(404, 'not_found', 'Not found');
    return invoice;
  };
  const answer = (request: Request): Reply => {
    const [, collection, id, part] = request.path.split('/');
    if (collection === 'files')
      return { status: 200, bytes: documentBytes, headers: { 'content-type': 'application/pdf' } };
    if (request.headers.authorization !== `Bearer ${apiKey}`)
      throw new HttpError(401, 'unauthorized', 'Access token is invalid');
    const asked = `${request.method} ${collection}${part ? `/${part}` : ''}`;
    const body = request.body.length > 0 ? (JSON.parse(request.body.toString()) as Record<string, unknown>) : {};
    switch (asked) {
      case 'GET changelogs':
        return paged(request, log, startOf(request), 1000);
      case 'GET supplier_invoices':
        return id === undefined
          ? paged(request, [...invoices.values()], () => true, 100)
          : { status: 200, json: { ...read(id), public_file_url: `${base}/files/${id}?signature=${Math.random()}` } };
      case 'GET supplier_invoices/invoice_lines':
        return paged(request, read(id) && someLines, () => true, 100);
      case 'GET supplier_invoices/linked_purchase_requests': {
        const ids = linked.get(read(id).id) ?? [];
        return paged(
          request,
          purchaseRequests.filter((one) => ids.includes(one.id)),
          () => true,
          100,
        );
      }
      case 'POST supplier_invoices/linked_purchase_requests':
        linked.set(read(id).id, [...(linked.get(Number(id)) ?? []), Number(body['purchase_request_id'])]);
        references.set += 1;
        return { status: 204 };
      case 'GET purchase_requests':
        return paged(request, purchaseRequests, () => true, 100);
      case 'GET suppliers':
        suppliersRead += 1;
        return { status: 200, json: aSupplier };
      case 'PUT supplier_invoices/e_invoice_status':
        setStatus(read(id), body);
        statuses.push(String(body['status']));
        return { status: 204 };
      case 'PUT supplier_invoices': {
        if ('label' in body) throw new HttpError(422, 'label', 'the label is the accountant’s');
        const reference = body['external_reference'] as string | null;
        const changed = reference === read(id).external_reference ? 0 : 1;
        if (reference === null) references.cleared += changed;
        else references.set += changed;
        invoices.set(Number(id), { ...read(id), external_reference: reference });
        return { status: 200, json: read(id) };
      }
      default:
        throw new HttpError(404, 'not_found', 'Not found');
    }
  };
  const server = await startHttpServer(answer, { port: 0, before: faults.apply });
  base = server.url;
  add(4001, 'FA-2026-0101');
  return {
    provider: pennylane,
    baseUrl: server.url,
    apiKey,
    known: '4001',
    documentBytes,
    add(number) {
      add(5000 + number, `N-${number}`);
      return String(5000 + number);
    },
    remove(id) {
      invoices.delete(Number(id));
      log.push({ id: Number(id), operation: 'delete', processed_at: new Date().toISOString() });
    },
    fail: faults.add,
    heal: faults.clear,
    feedbackCount: (_id, outcome) =>
      ({ reversed: references.cleared, taken_in_charge: references.set })[String(outcome)] ??
      statuses.filter((status) => status === outcome).length,
    writePattern: '^PUT ',
    canReverse: true,
    close: server.close,
    invoice: (id) => read(id),
    purchaseRequests,
    linked,
    suppliersRead: () => suppliersRead,
  };
}

/** `{items, has_more, next_cursor}` with an opaque cursor. @throws HttpError 400 for a limit that is too high */
function paged<T>({ query }: Request, all: T[], wanted: (item: T) => boolean, mostPerPage: number): Reply {
  const limit = Number(query.get('limit') ?? 20);
  if (limit > mostPerPage) throw new HttpError(400, 'bad_request', `limit is at most ${mostPerPage}`);
  const from = Number(Buffer.from(query.get('cursor') ?? '', 'base64').toString() || 0);
  const found = all.filter(wanted);
  const more = found.length > from + limit;
  const next = more ? Buffer.from(String(from + limit)).toString('base64') : null;
  return { status: 200, json: { items: found.slice(from, from + limit), has_more: more, next_cursor: next } };
}

function startOf({ query }: Request): (change: Change) => boolean {
  const start = query.get('start_date');
  if (start === null) return () => true;
  if (query.get('cursor') !== null) throw new HttpError(400, 'bad_request', 'start_date and cursor exclude each other');
  if (Date.parse(start) < Date.now() - fourWeeksMs)
    throw new HttpError(422, 'invalid', 'start_date is older than 4 weeks');
  return (change) => change.processed_at >= new Date(start).toISOString();
}

const statusReasons: Record<string, (string | undefined)[]> = {
  disputed: [
    ...['incorrect_vat_rate', 'incorrect_unit_prices', 'incorrect_billed_quantity', 'incorrect_billed_item'],
    ...['defective_delivered_item', 'delivery_issue', 'incorrect_payment_terms', 'missing_legal_notice'],
    ...['missing_contractual_reference', 'recipient_error'],
  ],
  refused: [
    ...['incorrect_vat_rate', 'contract_completed', 'duplicate_invoice', 'recipient_error', 'incorrect_prices'],
    'non_compliant_invoice',
  ],
  approved: [undefined],
};

/** @throws HttpError 422 for a status or a reason that is none of theirs, and for what is no e-invoice */
function setStatus(invoice: Invoice, { status, reason }: Record<string, unknown>): void {
  if (!statusReasons[String(status)]?.includes(reason as string | undefined)) {
    throw new HttpError(422, 'reason', 'an unknown reason');
  }
  if (invoice['e_invoicing'] === null) throw new HttpError(422, 'e_invoicing', 'the invoice is no e-invoice');
  invoice['e_invoicing'] = { status: status === 'disputed' ? 'in_dispute' : status };
}

const aSupplier = {
  id: 77,
  name: 'Chauffage Durand SARL',
  establishment_no: '73282932000074',
  reg_no: '732829320',
  vat_number: 'FR44732829320',
  iban: 'FR76 3000 6000 0112 3456 7890 189',
};

const someLines = [
  {
    id: 1,
    label: 'Boiler repair',
    description: 'Ticket T-1042',
    currency_amount: '540.0',
    currency_tax: '90.0',
    vat_rate: 'FR_200',
  },
  { id: 2, label: 'Burner nozzle', description: '', currency_amount: '85.2', currency_tax: '14.2', vat_rate: 'FR_200' },
];

function anInvoice(id: number, number: string): Invoice {
  return {
    id,
    label: `Facture ${number} - chaufferie`,
    invoice_number: number,
    currency: 'EUR',
    amount: '625.20',
    currency_amount: '625.20',
    currency_amount_before_tax: '521.00',
    currency_tax: '104.20',
    tax: '104.20',
    date: '2026-11-16',
    deadline: '2026-12-16',
    filename: `${number}.pdf`,
    supplier: { id: 77, url: 'https://app.pennylane.com/api/external/v2/suppliers/77' },
    payment_status: 'to_be_paid',
    external_reference: null,
    e_invoicing: { status: 'submitted' },
  };
}
