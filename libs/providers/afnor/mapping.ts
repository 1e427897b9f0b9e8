import type { CanonicalInvoice } from '@app/contracts';
import { readEInvoice } from '@app/einvoice';
import { AppError } from '@app/kernel';
import { label, unmappable } from '../fields.ts';
import { type Json, record } from '../json.ts';

const syntaxes = ['UBL', 'CII', 'Factur-X'];

/**
 * The e-invoice that a flow carries; `raw` is the flow itself, of which the platform's acknowledgement is the status: a flow
 * that it could not accept (`Error`) is an invoice `rejected`, as life-cycle status 213 says it.
 * @throws AppError invalid `unmappable`
 */
export function normalizeAfnor(raw: Buffer, document: Buffer | null): CanonicalInvoice {
  const flow = parsed(raw);
  const syntax = label(flow['flowSyntax']) ?? 'unknown';
  if (!syntaxes.includes(syntax)) throw unmappable(`a flow of syntax ${syntax.slice(0, 40)} is no invoice`);
  if (document === null) throw unmappable('the flow has no document');
  const status = label(record(flow['acknowledgement'])['status']);
  return { ...invoiceIn(document), providerStatus: status === 'Error' ? 'rejected' : status };
}

function invoiceIn(document: Buffer): CanonicalInvoice {
  try {
    return readEInvoice(document);
  } catch (error) {
    throw error instanceof AppError ? unmappable(error.message) : error;
  }
}

function parsed(raw: Buffer): Json {
  try {
    return record(JSON.parse(raw.toString('utf8')));
  } catch {
    throw unmappable('the payload is no JSON');
  }
}
