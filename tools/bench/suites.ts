import type { Suite } from './bench.ts';
import { invoiceSpeed } from './invoice-speed.ts';
import { matchingQuality } from './matching-suite.ts';
import { purchaseSpeed } from './purchase-speed.ts';
import { ticketGrowth } from './ticket-growth.ts';
import { ticketSpeed } from './ticket-speed.ts';
import { webhooks } from './webhook-suite.ts';

/** The parts of the bench, by the names that `npm run bench -- NAME` takes. */
export const suites: Record<string, Suite> = {
  tickets: ticketSpeed,
  growth: ticketGrowth,
  purchases: purchaseSpeed,
  matching: matchingQuality,
  invoices: invoiceSpeed,
  webhooks,
};
