import { normalizeAfnor, readAfnorToAnswer } from './afnor/mapping.ts';
import { normalizePennylane } from './pennylane/mapping.ts';
import { normalizeSandbox } from './sandbox/mapping.ts';

/**
 * What the workers of `invoice-reader.ts` can read, each a pure function of the bytes. Apart from the providers themselves, so
 * that a worker loads no client.
 */
export const formats = {
  sandbox: normalizeSandbox,
  pennylane: normalizePennylane,
  afnor: normalizeAfnor,
  /** With what an answer to the invoice repeats of its document. */
  afnor_to_answer: readAfnorToAnswer,
};

/** What `fetchInvoice` gave: the provider's payload, and the bytes of its document. */
export type Payload = { raw: Buffer; document: Buffer | null };
export type Format = keyof typeof formats;
/** Those that give the canonical invoice. */
export type InvoiceFormat = 'sandbox' | 'pennylane' | 'afnor';
export type Read<F extends Format> = ReturnType<(typeof formats)[F]>;
