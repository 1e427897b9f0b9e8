export type { Identifier } from './document-fields.ts';
export { readLifeCycle } from './life-cycle.ts';
export { OptionalFields } from './optional-fields.ts';
export { type ReplyFields, readEInvoice, readToReply } from './read-einvoice.ts';
