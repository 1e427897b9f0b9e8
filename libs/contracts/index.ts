export {
  type CanonicalInvoice,
  type InvoiceLine,
  type InvoiceSupplier,
  invoiceLimits,
  type ReferenceKind,
} from './canonical-invoice.ts';
export { type DomainEvent, defineEvent, type EventType, type NewEvent, publicName } from './define-event.ts';
export {
  type AuditAction,
  type AuditChange,
  type Audited,
  type AuditOrigin,
  type AuditRecord,
  type AuditSource,
  auditActions,
  auditActor,
  auditChanges,
  auditCredentials,
  audited,
  auditRecord,
  auditRecorded,
  auditTargetKinds,
} from './events/audit-events.ts';
export {
  type ContractorLinked,
  type ContractorSnapshot,
  contractorChanged,
  contractorLinked,
} from './events/contractor-events.ts';
export {
  erasedDomain,
  neutralPerson,
  type UserErased,
  userCopiesErased,
  userErased,
} from './events/erasure-events.ts';
export {
  type ExportedCompany,
  type ExportedFile,
  type ExportPageRead,
  type ExportPageRequested,
  exportPageRead,
  exportPageRequested,
} from './events/export-events.ts';
export {
  type CompanySnapshot,
  type CompanyState,
  companyChanged,
  companyCreated,
  companySchema,
  type UserSnapshot,
  userChanged,
  userCreated,
  userSchema,
} from './events/identity-events.ts';
export {
  type CountedLine,
  type FeedbackRequested,
  type FeedbackSettled,
  type InvoiceFetched,
  type InvoiceGone,
  type InvoiceLineSnapshot,
  type InvoiceOutcome,
  type InvoiceStateChanged,
  type InvoiceStatusReceived,
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  invoiceFetched,
  invoiceGone,
  invoiceLineChanged,
  invoiceLineSchema,
  invoiceOutcomes,
  invoiceStateChanged,
  invoiceStatusReceived,
  type ReportedLink,
  type ReportedStatus,
  type StoredPayload,
  type SupplierStatus,
} from './events/invoice-events.ts';
export {
  type AddedPurchase,
  type AttachedFile,
  attachedFileSchema,
  isSharedWithSupplier,
  type PurchaseKind,
  type PurchaseSnapshot,
  purchaseChanged,
  purchaseFileAttached,
  purchaseKinds,
  purchaseSchema,
  ticketPurchaseAdded,
} from './events/purchase-events.ts';
export {
  type KnownThing,
  type Restore,
  type RestoreExistenceAsked,
  type RestoreLossFound,
  type RestoreTaskRequested,
  restoreExistenceAsked,
  restoreLossFound,
  restoreTaskRequested,
} from './events/restore-events.ts';
export {
  type SnapshotKind,
  type SnapshotsRequested,
  snapshotKinds,
  snapshotsRequested,
} from './events/snapshot-events.ts';
export {
  type AddedDocument,
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
} from './events/ticket-events.ts';
export {
  type LocationSnapshot,
  locationChanged,
  type QuoteSnapshot,
  type TicketAssigned,
  type TicketSnapshot,
  ticketAssigned,
  ticketChanged,
  ticketSnapshotSchema,
  type ViewSnapshot,
} from './events/ticket-snapshot-events.ts';
export type { WebhookEventData } from './events/webhook-event.ts';
export {
  type Caller,
  type CompanyKind,
  type Principal,
  principalSchema,
} from './internal-token.ts';
export {
  detailFaults,
  lackSentences,
  obstacleSentence,
  obstacleTo,
  type StatusFacts,
  type StatusObstacle,
  standing,
  statusObstacles,
  type ToldStatus,
} from './invoice-statuses/forbidden.ts';
export {
  actionCodes,
  allStatuses,
  type HeardStatuses,
  type InvoiceStatus,
  invoiceStatuses,
  type LifeCycle,
  lifeCycleLacks,
  noDetails,
  type RequestedAction,
  reasonCodes,
  refusalReasons,
  type StatusDetails,
  type StatusField,
  type StatusReason,
  statusReasons,
  statusRule,
  toldByPeople,
} from './invoice-statuses/statuses.ts';
export { type Permission, permissions, type Scope, scopes } from './permissions.ts';
export { eventTypes, platformPublishers, publishedBy } from './publishers.ts';
export { platformQueues, type QueueTable } from './queues.ts';
export { type TicketStatus, ticketStatuses } from './ticket-status.ts';
export { eventsOfOperations } from './webhooks/events-of-operations.ts';
export {
  subscribableEvents,
  testEvent,
  webhookCatalogue,
  webhookEventTypes,
  webhookHeaders,
} from './webhooks/webhook-catalogue.ts';
