export type { Identifier } from './facts.ts';
export { hasEInvoice, readEInvoice, readReplyFacts } from './read-einvoice.ts';
