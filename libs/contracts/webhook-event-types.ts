import { ticketPurchaseAdded } from './purchase-events.ts';
import {
  ticketDocumentAdded,
  ticketInterventionDateAdded,
  ticketInvoiceAdded,
  ticketMessageAdded,
  ticketQuoteAdded,
  ticketReportAdded,
  ticketStatusChanged,
  ticketVisitDateAdded,
} from './ticket-events.ts';

/** The types that the dispatcher serves. Their public names are those of spec section 6.1. */
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
