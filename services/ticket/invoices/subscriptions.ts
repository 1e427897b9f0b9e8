import { invoiceLineChanged } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { InvoiceLineProjection } from './invoice-line-projection.ts';

/** Lines that reconciliation matched by itself, and once more those it has pushed. */
export function invoiceLineSubscriptions(lines: InvoiceLineProjection): Subscription[] {
  return [on(invoiceLineChanged, ({ data }) => lines.applyEvent(data))];
}
