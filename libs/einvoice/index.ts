export type { Identifier } from './facts.ts';
export { hasEInvoice, type ReplyFacts, readEInvoice, readToReply } from './read-einvoice.ts';
