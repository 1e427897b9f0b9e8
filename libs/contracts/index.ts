export { type ContractorLinked, contractorLinked } from './contractor-events.ts';
export { type DomainEvent, defineEvent, type EventType, type NewEvent, publicName } from './define-event.ts';
export { eventTypes } from './event-types.ts';
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
  type AddedDate,
  type AddedDocument,
  type AddedMessage,
  type AddedQuote,
  type AddedReport,
  type StatusChange,
  ticketDocumentAdded,
  ticketInterventionDateAdded,
  ticketMessageAdded,
  ticketQuoteAdded,
  ticketReportAdded,
  ticketStatusChanged,
  ticketVisitDateAdded,
  type Visibility,
  type Webhook,
  webhookEventTypes,
} from './ticket-events.ts';
