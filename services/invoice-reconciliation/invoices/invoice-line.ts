import { type InvoiceLineSnapshot, invoiceLineChanged, type NewEvent, type SupplierStatus } from '@app/contracts';
import { numberKey, precedingNumbers } from '@app/matching';
import type { Invoice } from './invoice.ts';

/** The line that the invoice has on a ticket view, with its version; `line` is null if it has none. */
export function lineOf(invoice: Invoice): InvoiceLineSnapshot {
  const { at, by } = invoice.line_moved ?? { at: invoice.updated_at, by: null };
  return {
    invoice_id: invoice._id,
    client_id: invoice.client_id,
    version: invoice.line_version,
    line: lineContent(invoice),
    moved_at: at.toISOString(),
    moved_by: by,
  };
}

export function lineChanged(invoice: Invoice, at: Date): NewEvent {
  return invoiceLineChanged(lineOf(invoice), at, invoice._id);
}

function lineContent(invoice: Invoice): InvoiceLineSnapshot['line'] {
  const { ticket_id, view_id, canonical, line_added_at, updated_at } = invoice;
  if (ticket_id === null || view_id === null || canonical === null) return null;
  const { name, siren, siret } = canonical.supplier;
  return {
    ticket_id,
    view_id,
    reference: canonical.number,
    price: String(canonical.amounts.ht),
    supplier: { name, siren, siret },
    amounts: canonical.amounts,
    added_at: (line_added_at ?? updated_at).toISOString(),
    counted: {
      kind: canonical.kind,
      currency: canonical.currency,
      issue_date: canonical.issueDate,
      key: numberKey(canonical.number),
      replaces: canonical.kind === 'corrective' ? precedingNumbers(canonical).map(numberKey) : [],
    },
    supplier_status: acceptedStatus(invoice),
  };
}

/** Not that it is taken in charge: the line itself says so. */
function acceptedStatus({ provider_statuses: told = [] }: Invoice): SupplierStatus | null {
  const last = told.findLast(
    ({ status, result, taken_back }) => status !== 'taken_in_charge' && result === 'accepted' && !taken_back,
  );
  if (!last) return null;
  const { status, reason, note, asked_at } = last;
  return { status, reason, note, at: asked_at.toISOString() };
}
