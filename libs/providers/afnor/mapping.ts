import type { CanonicalInvoice, ReportedStatus } from '@app/contracts';
import { type ReplyFields, readLifeCycle, readToReply } from '@app/einvoice';
import { label, parsePayload, unmappable } from '../parsing/fields.ts';
import { record, text } from '../parsing/json.ts';
import { lackOf } from './life-cycle.ts';

/** Longer than an electronic address with its scheme may be. */
const maxAddressLength = 200;
const syntaxes = ['UBL', 'CII', 'Factur-X'];

/**
 * The e-invoice of a flow. Its status is the platform's acknowledgement of the flow, `raw`: a flow that the platform could not
 * accept (`Error`) is a `rejected` invoice (life-cycle status 213).
 * @throws AppError invalid `unmappable`, invalid `document_refused`
 */
export function normalizeAfnor(raw: Buffer, document: Buffer | null): CanonicalInvoice {
  return readAfnorToAnswer(raw, document).invoice;
}

/** The same, with the fields that a feedback message repeats. */
export function readAfnorToAnswer(raw: Buffer, document: Buffer | null): ReplyFields & { invoice: CanonicalInvoice } {
  const flow = parsePayload(raw);
  const syntax = label(flow['flowSyntax']) ?? 'unknown';
  if (!syntaxes.includes(syntax)) throw unmappable(`a flow of syntax ${syntax.slice(0, 40)} is no invoice`);
  if (document === null) throw unmappable('the flow has no document');
  const status = label(record(flow['acknowledgement'])['status']);
  const read = readToReply(document);
  const providerStatus = status === 'Error' ? 'rejected' : status;
  const { scheme, value } = read.sellerAddress ?? { scheme: null, value: '' };
  const address = [scheme ?? '', value.trim()]
    .filter((part) => part !== '')
    .join(':')
    .slice(0, maxAddressLength);
  const lifeCycle = { rule: text(flow['processingRule']), lacks: lackOf(read), address: value.trim() ? address : null };
  return { ...read, invoice: { ...read.invoice, providerStatus, lifeCycle } };
}

/** @throws AppError invalid `unmappable`, invalid `document_refused` */
export function readAfnorStatuses(_raw: Buffer, document: Buffer | null): ReportedStatus[] {
  if (document === null) throw unmappable('the flow has no document');
  return readLifeCycle(document);
}
