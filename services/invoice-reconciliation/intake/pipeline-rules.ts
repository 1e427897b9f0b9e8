import type { CanonicalInvoice } from '@app/contracts';
import { lookupKeys } from '../invoices/duplicates.ts';
import { type Decision, type Invoice, type InvoiceFlag, noKeys, type StepName } from '../invoices/invoice.ts';
import { leaseMs, move } from '../invoices/state-machine.ts';
import { statusOf } from '../lifecycle/received-status.ts';

/** The content was read. `damaged`: the document is not what was fetched. */
export function normalized(
  invoice: Invoice,
  { canonical, damaged }: { canonical: CanonicalInvoice; damaged: boolean },
  at: Date,
): Decision {
  const keys = { ...noKeys, lookupKeys: lookupKeys(canonical, invoice.content.document?.hash ?? null) };
  const flags: InvoiceFlag[] = damaged ? ['document_hash_mismatch'] : [];
  const set = { canonical, provider_status: statusOf(invoice, canonical.providerStatus), keys, flags };
  return move(invoice, { trigger: 'normalize', at, set });
}

/** Why content cannot be read: a code (`unmappable`, `document_refused`) and a sentence. */
type Unreadable = { code: string; message: string };

/** The content cannot be read. Only a resync or other content tries again. */
export function unmappable(invoice: Invoice, { code, message }: Unreadable, at: Date): Decision {
  const failure = { step: 'normalize', code, attempts: 1, from: 'received' } as const;
  return move(invoice, { trigger: 'unmappable', at, reason: message, set: { failure } });
}

export type Failed = { step: StepName; code: string; delaysMs: readonly number[] };

/** A step failed for an internal reason. It is retried after the next delay; after the last one only a resync tries again. */
export function failed(invoice: Invoice, { step, code, delaysMs }: Failed, at: Date): Decision {
  const attempts = (invoice.failure?.attempts ?? 0) + 1;
  const delay = delaysMs[attempts - 1];
  const due_at = delay === undefined ? null : new Date(at.getTime() + delay);
  const failure = { step, code, attempts, from: invoice.state };
  return move(invoice, { trigger: 'fail', at, reason: `${step}: ${code}`, set: { failure, due_at } });
}

/** The retry of a failed step is due. The failure is kept, so that attempts are counted until the step succeeds. */
export function retry(invoice: Invoice, at: Date): Decision {
  const { failure } = invoice;
  return move(invoice, { trigger: 'retry', at, reason: `try ${(failure?.attempts ?? 0) + 1}`, set: { failure } });
}

/** Leaves the invoice in its state, as after a crash: the background worker continues it. */
export function continueLater(invoice: Invoice, at: Date): Decision {
  return { invoice: { ...invoice, due_at: new Date(at.getTime() + leaseMs) }, events: [] };
}
