import { invoiceLineChanged } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { LineKeeper } from './keep-line.ts';

/** What reconciliation handed over, once more; lines that it matched by itself come this way alone. */
export function invoiceLineSubscriptions(lines: LineKeeper): Subscription[] {
  return [on(invoiceLineChanged, ({ data }) => lines.keepFromEvent(data))];
}
