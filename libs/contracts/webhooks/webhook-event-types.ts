import { ticketPurchaseAdded } from '../events/purchase-events.ts';
import {
  ticketDocumentAdded,
  ticketInterventionDateAdded,
  ticketInvoiceAdded,
  ticketMessageAdded,
  ticketQuoteAdded,
  ticketReportAdded,
  ticketStatusChanged,
  ticketVisitDateAdded,
} from '../events/ticket-events.ts';

/** The event types that webhooks deliver. Subscribers see their names without version. */
export const webhookEventTypes = [
  ticketStatusChanged,
  ticketQuoteAdded,
  ticketInvoiceAdded,
  ticketVisitDateAdded,
  ticketInterventionDateAdded,
  ticketDocumentAdded,
  ticketReportAdded,
  ticketMessageAdded,
  ticketPurchaseAdded,
] as const;
