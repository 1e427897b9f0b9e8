import { type ExportedRow, type ExportSources, exportedFile, rowsOf } from '@app/service/export';
import type { Invoice } from '../invoices/invoice.ts';
import { documentName, exportedInvoice } from '../review/invoice-responses.ts';
import type { InvoicePages, InvoicePosition } from './invoice-page-store.ts';

/** A small page, since an invoice comes with all that was read from it. */
const invoicesAtOnce = 50;

/** The invoices of a client, each with its document and what the provider sent. */
export function exportSources({ invoicePages }: { invoicePages: InvoicePages }): ExportSources {
  return {
    invoices: (company, after) =>
      rowsOf({
        after,
        limit: invoicesAtOnce,
        read: (position, limit) => invoicePages(company.id, positionOf(position), limit),
        rowOf,
      }),
  };
}

function rowOf(invoice: Invoice): ExportedRow {
  const { raw, document } = invoice.content;
  const payload = exportedFile({ key: raw.key, name: `payload-${documentName(invoice, raw.type)}` });
  const file = document && exportedFile({ key: document.key, name: documentName(invoice, document.type) });
  return {
    position: JSON.stringify([invoice.provider, invoice.external_id]),
    value: { ...exportedInvoice(invoice), file: file?.path ?? null, payload: payload.path },
    files: file ? [payload, file] : [payload],
  };
}

function positionOf(position: string | null): InvoicePosition | null {
  if (position === null) return null;
  const [provider, external_id] = JSON.parse(position) as [string, string];
  return { provider, external_id };
}
