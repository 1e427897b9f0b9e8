import type { InvoiceLineSnapshot } from '@app/contracts';
import { newId } from '@app/kernel';

type Line = NonNullable<InvoiceLineSnapshot['line']>;
type On = { client: string; ticket: string; view: string };

/** The line of a new invoice on a view, as invoice reconciliation tells of it. */
export function aLine({ client, ticket, view }: On, given: Partial<Line> = {}): InvoiceLineSnapshot & { line: Line } {
  const line = {
    ticket_id: ticket,
    view_id: view,
    reference: 'FA-2026-311',
    price: '1284.5',
    supplier: { name: 'Froid Service', siren: '732829320', siret: '73282932000074' },
    amounts: { ht: 1284.5, tva: 256.9, ttc: 1541.4 },
    added_at: '2026-11-20T14:31:09.377Z',
    supplier_status: null,
    ...given,
  };
  return { invoice_id: newId(), client_id: client, version: 1, line, moved_at: line.added_at, moved_by: null };
}
