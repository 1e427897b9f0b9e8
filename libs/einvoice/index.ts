export { hasEInvoice, readEInvoice } from './read-einvoice.ts';
