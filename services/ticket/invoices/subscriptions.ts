import { invoiceLineChanged } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { InvoiceLineProjection } from './invoice-line-projection.ts';

/** What reconciliation handed over, once more; lines that it matched by itself come this way alone. */
export function invoiceLineSubscriptions(lines: InvoiceLineProjection): Subscription[] {
  return [on(invoiceLineChanged, ({ data }) => lines.applyEvent(data))];
}
