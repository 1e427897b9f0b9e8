export { auditActionWords, auditKindWords, auditReasonWords, permissionWords, yesOrNo } from './audit-words.ts';
export { reasonWords, reviewReasonWords } from './reason-words.ts';
export {
  contractorTypes,
  deliveryStatuses,
  endpointHealth,
  type Family,
  invoiceKindWords,
  invoiceStates,
  type StatusWord,
  ticketPriorities,
  ticketStatuses,
} from './status-words.ts';
export { inLanguage, type Worded } from './worded.ts';
