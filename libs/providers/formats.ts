import { normalizeAfnor, readAfnorStatuses, readAfnorToAnswer } from './afnor/mapping.ts';
import { normalizePennylane } from './pennylane/mapping.ts';
import { normalizeSandbox } from './sandbox/mapping.ts';

/** What the workers of invoice-reader.ts can read: pure functions of the bytes. No client is imported here or loaded by them. */
export const formats = {
  sandbox: normalizeSandbox,
  pennylane: normalizePennylane,
  afnor: normalizeAfnor,
  /** The invoice, with the fields of its document that a feedback message repeats. */
  afnor_to_answer: readAfnorToAnswer,
  /** What a life-cycle message says of invoices. */
  afnor_statuses: readAfnorStatuses,
};

/** What `fetchInvoice` returned: the provider's payload, and the bytes of its document. */
export type Payload = { raw: Buffer; document: Buffer | null };
export type Format = keyof typeof formats;
/** The formats that yield a canonical invoice. */
export type InvoiceFormat = Exclude<Format, 'afnor_to_answer' | 'afnor_statuses'>;
export type Read<F extends Format> = ReturnType<(typeof formats)[F]>;
