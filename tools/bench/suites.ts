import { consoleSpeed } from './console/console-speed.ts';
import type { Suite } from './harness/bench.ts';
import { invoiceSpeed } from './invoices/invoice-speed.ts';
import { matchingQuality } from './matching/matching-quality.ts';
import { purchaseSpeed } from './purchases/purchase-speed.ts';
import { ticketGrowth } from './tickets/ticket-growth.ts';
import { ticketSpeed } from './tickets/ticket-speed.ts';
import { webhooks } from './webhooks/webhooks.ts';

/** The parts of the bench, by the names that `npm run bench -- NAME` takes. */
export const suites: Record<string, Suite> = {
  tickets: ticketSpeed,
  growth: ticketGrowth,
  purchases: purchaseSpeed,
  matching: matchingQuality,
  invoices: invoiceSpeed,
  webhooks,
  console: consoleSpeed,
};
