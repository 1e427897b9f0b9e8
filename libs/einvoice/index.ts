export type { Identifier } from './document-fields.ts';
export { hasEInvoice, type ReplyFields, readEInvoice, readToReply } from './read-einvoice.ts';
