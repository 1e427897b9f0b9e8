export {
  type CanonicalInvoice,
  type InvoiceLine,
  type InvoiceSupplier,
  invoiceLimits,
  type ReferenceKind,
} from './canonical-invoice.ts';
export {
  type ContractorFacts,
  type ContractorLinked,
  contractorChanged,
  contractorLinked,
} from './contractor-events.ts';
export { type DomainEvent, defineEvent, type EventType, type NewEvent, publicName } from './define-event.ts';
export { eventTypes } from './event-types.ts';
export { type FactKind, type FactsRequested, factKinds, factsRequested } from './facts-events.ts';
export {
  type CompanyFacts,
  type CompanyKind,
  companyCreated,
  companySchema,
  type UserFacts,
  userCreated,
  userSchema,
} from './identity-events.ts';
export { type Caller, type Permission, type Principal, permissions, principalSchema } from './internal-token.ts';
export {
  type FeedbackRequested,
  type FeedbackSettled,
  type InvoiceFetched,
  type InvoiceGone,
  type InvoiceLineFacts,
  type InvoiceMoved,
  type InvoiceOutcome,
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  invoiceFetched,
  invoiceGone,
  invoiceLineChanged,
  invoiceLineSchema,
  invoiceMoved,
  type StoredPayload,
  type ToldLink,
} from './invoice-events.ts';
export {
  type AddedPurchase,
  type AttachedFile,
  attachedFileSchema,
  type PurchaseFacts,
  type PurchaseKind,
  purchaseChanged,
  purchaseFileAttached,
  purchaseKinds,
  purchaseSchema,
  ticketPurchaseAdded,
} from './purchase-events.ts';
export { platformQueues, type QueueTable } from './queues.ts';
export {
  type AddedDate,
  type AddedDocument,
  type AddedInvoice,
  type AddedMessage,
  type AddedQuote,
  type AddedReport,
  type StatusChange,
  ticketDocumentAdded,
  ticketInterventionDateAdded,
  ticketInvoiceAdded,
  ticketMessageAdded,
  ticketQuoteAdded,
  ticketReportAdded,
  ticketStatusChanged,
  ticketVisitDateAdded,
  type Visibility,
} from './ticket-events.ts';
export {
  type LocationFacts,
  locationChanged,
  type QuoteFacts,
  type TicketAssigned,
  type TicketFacts,
  ticketAssigned,
  ticketChanged,
  ticketFactsSchema,
  type ViewFacts,
} from './ticket-facts-events.ts';
export type { Webhook } from './webhook-event.ts';
export { webhookEventTypes } from './webhook-event-types.ts';
